//! One segment from several, a few blocks at a time.

use std::collections::VecDeque;

use crate::blocks::{Block, BlockCursor, BlockWriter};
use crate::documents::Document;
use crate::grams::Gram;
use crate::{MAX_DOCUMENTS, SearchError};

/// Makes one segment of several: the lists of a gram become one. Blocks go in and come out in their order, so that it holds
/// few of them at any time, however large the segments are.
///
/// ```
/// use inboxd_search::{SegmentMerge, build};
///
/// // The second segment lies behind the first.
/// let mut merge = SegmentMerge::new(vec![vec![Some(0)], vec![Some(1), None]]);
/// let mut inputs = [build(["monday"])?, build(["tuesday", "deleted"])?];
/// let mut merged = Vec::new();
/// while !merge.is_finished() {
///     while let Some(input) = merge.missing_input() {
///         merge.add_blocks(input, std::mem::take(&mut inputs[input]))?; // an empty one says that nothing more comes
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
    /// The gram that was written last.
    last: Option<Gram>,
}

impl SegmentMerge {
    /// Begins with segments of which it knows, for each of their messages, the place in the new segment: `None` for those
    /// that are left out.
    #[must_use]
    pub fn new(positions: Vec<Vec<Option<Document>>>) -> Self {
        let sources = positions.into_iter().map(MergeSource::new).collect();
        Self { sources, writer: BlockWriter::default(), documents: Vec::new(), last: None }
    }

    /// A segment whose next blocks are needed before it can go on.
    #[must_use]
    pub fn missing_input(&self) -> Option<usize> {
        self.sources.iter().position(|source| source.blocks.is_empty() && !source.is_complete)
    }

    /// Adds the next blocks of a segment, in their order; none says that these were all.
    ///
    /// # Errors
    /// [`SearchError::Corrupt`].
    pub fn add_blocks(&mut self, segment: usize, blocks: Vec<Block>) -> Result<(), SearchError> {
        let Some(source) = self.sources.get_mut(segment) else { return Ok(()) };
        source.is_complete |= blocks.is_empty();
        for block in blocks {
            source.blocks.extend(BlockCursor::of(block.bytes)?);
        }
        Ok(())
    }

    /// Whether everything has come out.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.writer.is_empty() && self.sources.iter().all(|source| source.is_complete && source.blocks.is_empty())
    }

    /// Merges what is there, until a segment lacks its next blocks, and hands out the blocks that are complete.
    ///
    /// # Errors
    /// [`SearchError::Corrupt`], [`SearchError::TooManyDocuments`] for a place that no segment has.
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
        // Segments follow one another in time, mostly.
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

/// What is left of a segment, as far as it is here.
#[derive(Debug)]
struct MergeSource {
    positions: Vec<Option<Document>>,
    blocks: VecDeque<BlockCursor>,
    /// Whether no more blocks come.
    is_complete: bool,
}

impl MergeSource {
    fn new(positions: Vec<Option<Document>>) -> Self {
        Self { positions, blocks: VecDeque::new(), is_complete: false }
    }

    /// The gram of its next list.
    fn gram(&self) -> Option<Gram> {
        self.blocks.front().map(BlockCursor::gram)
    }

    /// Adds the messages of the next list, if it is that of the gram, and goes behind it.
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
