//! Which messages of a segment may hold a text.

use crate::SearchError;
use crate::blocks::BlockEntries;
use crate::documents::{Document, DocumentSet};
use crate::grams::GramRange;

/// A question to one segment: blocks go in, candidates come out.
#[derive(Debug, Clone)]
pub struct SegmentProbe {
    count: Document,
    ranges: Vec<(GramRange, DocumentSet)>,
}

impl SegmentProbe {
    /// Asks a segment of `count` messages for what [`required_ranges`](crate::required_ranges) said.
    #[must_use]
    pub fn new(ranges: &[GramRange], count: Document) -> Self {
        Self { count, ranges: ranges.iter().map(|range| (*range, DocumentSet::empty(count))).collect() }
    }

    /// Reads a block for one of the ranges, by its place among them. The blocks of a range come in any order.
    ///
    /// # Errors
    /// [`SearchError::Corrupt`], for a range that is not there as well.
    pub fn read_block(&mut self, range_index: usize, block: &[u8]) -> Result<(), SearchError> {
        let (range, documents) = self.ranges.get_mut(range_index).ok_or(SearchError::Corrupt)?;
        for entry in BlockEntries::of(block) {
            let (gram, list) = entry?;
            if gram > range.last {
                break;
            }
            if gram >= range.first {
                list.try_for_each(|document| documents.insert(document))?;
            }
        }
        Ok(())
    }

    /// Takes it that every message holds a gram of a range, by its place: for one of so many blocks that nearly all do.
    pub fn assume_all(&mut self, range_index: usize) {
        if let Some((_, documents)) = self.ranges.get_mut(range_index) {
            *documents = DocumentSet::all(self.count);
        }
    }

    /// The messages that hold a gram of each range. Whether they hold the text, their texts say. None where nothing was
    /// asked.
    #[must_use]
    pub fn candidates(self) -> DocumentSet {
        let mut sets = self.ranges.into_iter().map(|(_, documents)| documents);
        let mut candidates = sets.next().unwrap_or_else(|| DocumentSet::empty(0));
        sets.for_each(|documents| candidates.intersect(&documents));
        candidates
    }
}
