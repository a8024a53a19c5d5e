//! Messages of a segment by position.

use crate::SearchError;

/// Position of a message in its segment; the oldest is 0.
pub type Document = u16;

/// Maximum number of messages of a segment. With one bit for each, the longest posting list fits half a database page.
pub const MAX_DOCUMENTS: Document = 30_000;

/// A set of messages of one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSet {
    words: Vec<u64>,
}

impl DocumentSet {
    /// Creates an empty set for a segment of `count` messages.
    #[must_use]
    pub fn empty(count: Document) -> Self {
        Self { words: vec![0; usize::from(count).div_ceil(64)] }
    }

    /// Creates the set of all messages of a segment of `count` messages.
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
    ///
    /// [`SearchError::Corrupt`] for a position beyond the segment.
    pub(crate) fn insert(&mut self, document: Document) -> Result<(), SearchError> {
        let word = self.words.get_mut(usize::from(document) / 64).ok_or(SearchError::Corrupt)?;
        *word |= 1 << (document % 64);
        Ok(())
    }

    /// Adds the messages of a bit map, low bits first. The bit map begins after `skipped_bytes` bytes without messages.
    ///
    /// # Errors
    ///
    /// [`SearchError::Corrupt`] for a position beyond the segment.
    pub(crate) fn insert_bits(&mut self, skipped_bytes: u64, bits: &[u8]) -> Result<(), SearchError> {
        let first = usize::try_from(skipped_bytes).map_err(|_| SearchError::Corrupt)?;
        for (offset, &byte) in bits.iter().enumerate().filter(|(_, byte)| **byte != 0) {
            let place = first.saturating_add(offset);
            let word = self.words.get_mut(place / 8).ok_or(SearchError::Corrupt)?;
            *word |= u64::from(byte) << (place % 8 * 8);
        }
        Ok(())
    }

    /// Removes the messages that are not in the other set.
    pub fn intersect(&mut self, other: &Self) {
        for (word, others) in self.words.iter_mut().zip(&other.words) {
            *word &= others;
        }
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Iterates over the positions, newest message first.
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
