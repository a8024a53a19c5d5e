//! Candidates of a segment for a substring.

use crate::SearchError;
use crate::blocks::BlockEntries;
use crate::documents::{Document, DocumentSet};
use crate::grams::GramRange;

/// A query to one segment: reads blocks and returns candidates.
#[derive(Debug, Clone)]
pub struct SegmentProbe {
    count: Document,
    ranges: Vec<(GramRange, DocumentSet)>,
}

impl SegmentProbe {
    /// Creates a probe of a segment of `count` messages with the result of [`required_ranges`](crate::required_ranges).
    #[must_use]
    pub fn new(ranges: &[GramRange], count: Document) -> Self {
        Self { count, ranges: ranges.iter().map(|range| (*range, DocumentSet::empty(count))).collect() }
    }

    /// Reads a block for the range with this index. The blocks of a range may come in any order.
    ///
    /// # Errors
    ///
    /// [`SearchError::Corrupt`], also for an unknown range.
    pub fn read_block(&mut self, range_index: usize, block: &[u8]) -> Result<(), SearchError> {
        let (range, documents) = self.ranges.get_mut(range_index).ok_or(SearchError::Corrupt)?;
        for entry in BlockEntries::of(block) {
            let (gram, list) = entry?;
            if gram > range.last {
                break;
            }
            if gram >= range.first {
                list.add_to(documents)?;
            }
        }
        Ok(())
    }

    /// Assumes that every message contains a gram of the range with this index.
    ///
    /// Use it for a range of so many blocks that nearly all messages do.
    pub fn assume_all(&mut self, range_index: usize) {
        if let Some((_, documents)) = self.ranges.get_mut(range_index) {
            *documents = DocumentSet::all(self.count);
        }
    }

    /// Returns the messages with a gram of each range; the caller checks their texts. The result is empty without
    /// ranges.
    #[must_use]
    pub fn candidates(self) -> DocumentSet {
        let mut sets = self.ranges.into_iter().map(|(_, documents)| documents);
        let mut candidates = sets.next().unwrap_or_else(|| DocumentSet::empty(0));
        sets.for_each(|documents| candidates.intersect(&documents));
        candidates
    }
}
