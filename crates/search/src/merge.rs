//! Incremental merge of several segments.

use std::collections::VecDeque;

use crate::blocks::{Block, BlockCursor, BlockWriter};
use crate::documents::Document;
use crate::grams::Gram;
use crate::{MAX_DOCUMENTS, SearchError};

/// Merge of several segments into one: the lists of a gram are joined.
///
/// Blocks enter and leave in order, so only few are in memory, regardless of the size of the segments.
///
/// ```
/// use inboxd_search::{SegmentMerge, build};
///
/// // The second segment follows the first.
/// let mut merge = SegmentMerge::new(vec![vec![Some(0)], vec![Some(1), None]]);
/// let mut inputs = [build(["monday"])?, build(["tuesday", "deleted"])?];
/// let mut merged = Vec::new();
/// while !merge.is_finished() {
///     while let Some(input) = merge.missing_input() {
///         merge.add_blocks(input, std::mem::take(&mut inputs[input]))?; // an empty list ends the input
///     }
///     merged.extend(merge.advance()?);
/// }
/// assert_eq!(merged, build(["monday", "tuesday"])?);
/// # Ok::<(), inboxd_search::SearchError>(())
/// ```
#[derive(Debug)]
pub struct SegmentMerge {
    sources: Vec<MergeSource>,
    writer: BlockWriter,
    documents: Vec<Document>,
    /// Last gram written.
    last: Option<Gram>,
}

impl SegmentMerge {
    /// Starts a merge. `positions` has for each segment the new position of each message; `None` removes the message.
    #[must_use]
    pub fn new(positions: Vec<Vec<Option<Document>>>) -> Self {
        let sources = positions.into_iter().map(MergeSource::new).collect();
        Self { sources, writer: BlockWriter::default(), documents: Vec::new(), last: None }
    }

    /// Returns a segment that needs its next blocks before the merge can continue.
    #[must_use]
    pub fn missing_input(&self) -> Option<usize> {
        self.sources.iter().position(|source| source.blocks.is_empty() && !source.is_complete)
    }

    /// Adds the next blocks of a segment, in order; an empty list ends the segment.
    ///
    /// # Errors
    ///
    /// [`SearchError::Corrupt`].
    pub fn add_blocks(&mut self, segment: usize, blocks: Vec<Block>) -> Result<(), SearchError> {
        let Some(source) = self.sources.get_mut(segment) else { return Ok(()) };
        source.is_complete |= blocks.is_empty();
        for block in blocks {
            source.blocks.extend(BlockCursor::of(block.bytes)?);
        }
        Ok(())
    }

    /// Returns true once all blocks were returned.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.writer.is_empty() && self.sources.iter().all(|source| source.is_complete && source.blocks.is_empty())
    }

    /// Merges the available blocks until a segment needs its next ones, and returns the complete blocks.
    ///
    /// # Errors
    ///
    /// [`SearchError::Corrupt`], and [`SearchError::TooManyDocuments`] for an invalid new position.
    pub fn advance(&mut self) -> Result<Vec<Block>, SearchError> {
        while self.missing_input().is_none() {
            let Some(gram) = self.sources.iter().filter_map(MergeSource::gram).min() else {
                return Ok(self.writer.take_all());
            };
            self.merge(gram)?;
        }
        Ok(self.writer.take_complete())
    }

    fn merge(&mut self, gram: Gram) -> Result<(), SearchError> {
        if self.last.replace(gram).is_some_and(|last| gram <= last) {
            return Err(SearchError::Corrupt);
        }
        self.documents.clear();
        for source in &mut self.sources {
            source.take(gram, &mut self.documents)?;
        }
        // Segments are usually in chronological order.
        if !self.documents.is_sorted_by(|one, two| one < two) {
            self.documents.sort_unstable();
            self.documents.dedup();
        }
        if !self.documents.is_empty() {
            self.writer.push(gram, &self.documents);
        }
        Ok(())
    }
}

/// Unread part of a segment, as far as it is available.
#[derive(Debug)]
struct MergeSource {
    positions: Vec<Option<Document>>,
    blocks: VecDeque<BlockCursor>,
    /// True if no more blocks follow.
    is_complete: bool,
}

impl MergeSource {
    fn new(positions: Vec<Option<Document>>) -> Self {
        Self { positions, blocks: VecDeque::new(), is_complete: false }
    }

    /// Returns the gram of the next list.
    fn gram(&self) -> Option<Gram> {
        self.blocks.front().map(BlockCursor::gram)
    }

    /// Adds the messages of the next list if it belongs to the gram, and advances.
    fn take(&mut self, gram: Gram, documents: &mut Vec<Document>) -> Result<(), SearchError> {
        let Some(block) = self.blocks.front_mut().filter(|block| block.gram() == gram) else { return Ok(()) };
        let positions = &self.positions;
        let is_more = block.take(|document| {
            match positions.get(usize::from(document)).ok_or(SearchError::Corrupt)? {
                Some(position) if *position >= MAX_DOCUMENTS => return Err(SearchError::TooManyDocuments),
                Some(position) => documents.push(*position),
                None => {}
            }
            Ok(())
        })?;
        if !is_more {
            self.blocks.pop_front();
        }
        Ok(())
    }
}
