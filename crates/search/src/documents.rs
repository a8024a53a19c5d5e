//! Messages of a segment, by their places in it.

use crate::SearchError;

/// The place of a message in its segment; the oldest is 0.
pub type Document = u16;

/// How many messages a segment holds at most: with a bit for each, the longest list still fits half a page of the database.
pub const MAX_DOCUMENTS: Document = 30_000;

/// A set of messages of one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSet {
    words: Vec<u64>,
}

impl DocumentSet {
    /// No message, of a segment that holds `count`.
    #[must_use]
    pub fn empty(count: Document) -> Self {
        Self { words: vec![0; usize::from(count).div_ceil(64)] }
    }

    /// Every message of a segment that holds `count`.
    pub(crate) fn all(count: Document) -> Self {
        let mut words = vec![u64::MAX; usize::from(count).div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !count.is_multiple_of(64)) {
            *last = (1 << (count % 64)) - 1;
        }
        Self { words }
    }

    /// Adds a message.
    ///
    /// # Errors
    /// [`SearchError::Corrupt`] when the segment cannot hold it.
    pub(crate) fn insert(&mut self, document: Document) -> Result<(), SearchError> {
        let word = self.words.get_mut(usize::from(document) / 64).ok_or(SearchError::Corrupt)?;
        *word |= 1 << (document % 64);
        Ok(())
    }

    /// Keeps those that are in the other set as well.
    pub(crate) fn intersect(&mut self, other: &Self) {
        for (word, others) in self.words.iter_mut().zip(&other.words) {
            *word &= others;
        }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The places, the newest message first.
    pub fn newest_first(&self) -> impl Iterator<Item = Document> {
        self.words.iter().enumerate().rev().flat_map(|(word_index, &word)| {
            let mut remaining = word;
            std::iter::from_fn(move || {
                let bit = remaining.checked_ilog2()?;
                remaining &= !(1 << bit);
                Document::try_from(word_index * 64 + bit as usize).ok()
            })
        })
    }
}
