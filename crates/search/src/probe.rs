//! Which messages of a segment may hold a text.

use crate::SearchError;
use crate::blocks::Entries;
use crate::documents::{Document, Documents};
use crate::grams::GramRange;

/// A question to one segment: blocks go in, candidates come out.
#[derive(Debug, Clone)]
pub struct Probe {
    count: Document,
    ranges: Vec<(GramRange, Documents)>,
}

impl Probe {
    /// Asks a segment of `count` messages for what [`wanted`](crate::wanted) said.
    #[must_use]
    pub fn new(ranges: &[GramRange], count: Document) -> Self {
        Self { count, ranges: ranges.iter().map(|range| (*range, Documents::none(count))).collect() }
    }

    /// Reads a block for one of the ranges, by its place among them. The blocks of a range come in any order.
    ///
    /// # Errors
    /// [`SearchError::Corrupt`], for a range that is not there as well.
    pub fn read(&mut self, place: usize, block: &[u8]) -> Result<(), SearchError> {
        let (range, documents) = self.ranges.get_mut(place).ok_or(SearchError::Corrupt)?;
        for entry in Entries::of(block) {
            let (gram, list) = entry?;
            if gram > range.last {
                break;
            }
            if gram >= range.first {
                list.each(|document| documents.insert(document))?;
            }
        }
        Ok(())
    }

    /// Takes it that every message holds a gram of a range, by its place: for one of so many blocks that nearly all do.
    pub fn admit_all(&mut self, place: usize) {
        if let Some((_, documents)) = self.ranges.get_mut(place) {
            *documents = Documents::all(self.count);
        }
    }

    /// The messages that hold a gram of each range. Whether they hold the text, their texts say. None where nothing was
    /// asked.
    #[must_use]
    pub fn candidates(self) -> Documents {
        let mut sets = self.ranges.into_iter().map(|(_, documents)| documents);
        let mut candidates = sets.next().unwrap_or_else(|| Documents::none(0));
        sets.for_each(|documents| candidates.keep(&documents));
        candidates
    }
}
