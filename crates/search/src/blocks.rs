//! Posting lists packed into blocks, ordered by gram.
//!
//! A block is one row of a table. Its size lets the database store two blocks in a page. Each entry consists of the
//! distance of its gram from the previous one (of the first: from 0) and the posting list.

use crate::documents::Document;
use crate::grams::Gram;
use crate::posting_list::{self, PostingList};
use crate::{SearchError, varint};

/// Maximum length of a block in bytes.
pub const MAX_BLOCK_BYTES: usize = 3_840;
const _: () = assert!(posting_list::MAX_LIST_BYTES + 10 + 3 <= MAX_BLOCK_BYTES, "the longest entry must fit a block");

/// Some posting lists of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Smallest gram in the block.
    pub first_gram: Gram,
    /// Encoded posting lists, at most [`MAX_BLOCK_BYTES`].
    pub bytes: Vec<u8>,
}

impl Block {
    /// Creates a block from stored values; its bytes are validated when they are read.
    #[must_use]
    pub fn from_stored(first_gram: i64, bytes: Vec<u8>) -> Self {
        Self { first_gram: Gram(first_gram.cast_unsigned()), bytes }
    }
}

/// Writer that packs posting lists into blocks.
#[derive(Debug, Default)]
pub(crate) struct BlockWriter {
    blocks: Vec<Block>,
    /// Number of the last gram written.
    last: u64,
    list: Vec<u8>,
}

impl BlockWriter {
    /// Adds the list of the next gram, which must be greater than all before.
    pub(crate) fn push(&mut self, gram: Gram, documents: &[Document]) {
        self.list.clear();
        posting_list::write(&mut self.list, documents);
        let distance = gram.0 - self.last;
        let length = varint::length(distance) + self.list.len();
        self.last = gram.0;
        match self.blocks.last_mut() {
            Some(block) if block.bytes.len() + length <= MAX_BLOCK_BYTES => {
                varint::write(&mut block.bytes, distance);
                block.bytes.extend(&self.list);
            }
            _ => {
                let mut bytes = Vec::with_capacity(MAX_BLOCK_BYTES);
                varint::write(&mut bytes, gram.0);
                bytes.extend(&self.list);
                self.blocks.push(Block { first_gram: gram, bytes });
            }
        }
    }

    /// Returns true if no block is left to take.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Takes all blocks but the last, which may still grow.
    pub(crate) fn take_complete(&mut self) -> Vec<Block> {
        let complete = self.blocks.len().saturating_sub(1);
        self.blocks.drain(..complete).collect()
    }

    /// Takes all blocks.
    pub(crate) fn take_all(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.blocks)
    }
}

/// Posting lists of a block, in the order of their grams.
#[derive(Debug, Clone)]
pub(crate) struct BlockEntries<'a> {
    remaining: &'a [u8],
    last: Gram,
}

impl<'a> BlockEntries<'a> {
    /// Iterates over the entries of these bytes.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self { remaining: bytes, last: Gram(0) }
    }

    fn take(&mut self) -> Result<(Gram, PostingList<'a>), SearchError> {
        self.last = advance(self.last, varint::take(&mut self.remaining)?)?;
        Ok((self.last, posting_list::take(&mut self.remaining)?))
    }
}

impl<'a> Iterator for BlockEntries<'a> {
    type Item = Result<(Gram, PostingList<'a>), SearchError>;

    /// Returns the next list; an error ends the iteration.
    fn next(&mut self) -> Option<Self::Item> {
        if self.remaining.is_empty() {
            return None;
        }
        let taken = self.take();
        if taken.is_err() {
            self.remaining = &[];
        }
        Some(taken)
    }
}

/// Returns the gram at this distance after another.
fn advance(gram: Gram, distance: u64) -> Result<Gram, SearchError> {
    gram.0.checked_add(distance).map(Gram).ok_or(SearchError::Corrupt)
}

/// Cursor over the posting lists of a block.
#[derive(Debug)]
pub(crate) struct BlockCursor {
    bytes: Vec<u8>,
    /// Start of the next list.
    at: usize,
    /// Gram of the next list.
    gram: Gram,
}

impl BlockCursor {
    /// Creates a cursor at the start of a block; `None` for an empty block.
    pub(crate) fn of(bytes: Vec<u8>) -> Result<Option<Self>, SearchError> {
        let mut cursor = Self { bytes, at: 0, gram: Gram(0) };
        Ok(cursor.find_next()?.then_some(cursor))
    }

    /// Returns the gram of the next list.
    pub(crate) fn gram(&self) -> Gram {
        self.gram
    }

    /// Calls `visit` with each message of the next list and advances; returns true if another list follows.
    pub(crate) fn take(&mut self, visit: impl FnMut(Document) -> Result<(), SearchError>) -> Result<bool, SearchError> {
        let mut remaining = self.remaining();
        posting_list::take(&mut remaining)?.try_for_each(visit)?;
        self.at = self.bytes.len() - remaining.len();
        self.find_next()
    }

    fn find_next(&mut self) -> Result<bool, SearchError> {
        let mut remaining = self.remaining();
        if remaining.is_empty() {
            return Ok(false);
        }
        let gram = advance(self.gram, varint::take(&mut remaining)?)?;
        (self.at, self.gram) = (self.bytes.len() - remaining.len(), gram);
        Ok(true)
    }

    fn remaining(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}
