//! Lists packed into blocks, ordered by gram.
//!
//! A block is a row of a table, and small enough that the database keeps it in a page, two a page. Each of its entries is a
//! number, how far its gram lies behind the one before (the first: behind 0), and the list.

use crate::documents::Document;
use crate::grams::Gram;
use crate::posting_list::{self, PostingList};
use crate::{SearchError, varint};

/// How many octets a block has at most.
pub const MAX_BLOCK_BYTES: usize = 3_840;
const _: () = assert!(posting_list::MAX_LIST_BYTES + 10 + 3 <= MAX_BLOCK_BYTES, "the longest entry must fit a block");

/// Some lists of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The least gram in it.
    pub first_gram: Gram,
    /// The lists, at most [`MAX_BLOCK_BYTES`].
    pub bytes: Vec<u8>,
}

impl Block {
    /// A block that was stored; its octets are looked at when it is read.
    #[must_use]
    pub fn from_stored(first_gram: i64, bytes: Vec<u8>) -> Self {
        Self { first_gram: Gram(first_gram.cast_unsigned()), bytes }
    }
}

/// Packs lists into blocks.
#[derive(Debug, Default)]
pub(crate) struct BlockWriter {
    blocks: Vec<Block>,
    /// The number of the gram that was written last.
    last: u64,
    list: Vec<u8>,
}

impl BlockWriter {
    /// Adds the list of the next gram, which lies behind all before.
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

    /// Whether nothing is left to be taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// All blocks but the last, which may become fuller.
    pub(crate) fn take_complete(&mut self) -> Vec<Block> {
        let complete = self.blocks.len().saturating_sub(1);
        self.blocks.drain(..complete).collect()
    }

    /// All blocks.
    pub(crate) fn take_all(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.blocks)
    }
}

/// The lists of a block, in the order of their grams.
#[derive(Debug, Clone)]
pub(crate) struct BlockEntries<'a> {
    remaining: &'a [u8],
    last: Gram,
}

impl<'a> BlockEntries<'a> {
    /// Those of these octets.
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

    /// The next list; nothing more follows an error.
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

/// The gram that lies so far behind another.
fn advance(gram: Gram, distance: u64) -> Result<Gram, SearchError> {
    gram.0.checked_add(distance).map(Gram).ok_or(SearchError::Corrupt)
}

/// A block that is read to its end, list after list.
#[derive(Debug)]
pub(crate) struct BlockCursor {
    bytes: Vec<u8>,
    /// Where the next list begins.
    at: usize,
    /// Whose it is.
    gram: Gram,
}

impl BlockCursor {
    /// The beginning of a block; `None` for one without lists.
    pub(crate) fn of(bytes: Vec<u8>) -> Result<Option<Self>, SearchError> {
        let mut cursor = Self { bytes, at: 0, gram: Gram(0) };
        Ok(cursor.find_next()?.then_some(cursor))
    }

    /// Whose list comes next.
    pub(crate) fn gram(&self) -> Gram {
        self.gram
    }

    /// Gives each message of the next list to `visit`, and goes behind it. Answers whether there is another.
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
