//! Lists packed into blocks, ordered by gram.
//!
//! A block is a row of a table, and small enough that the database keeps it in a page, two a page. Each of its entries is a
//! number, how far its gram lies behind the one before (the first: behind 0), and the list.

use crate::documents::Document;
use crate::grams::Gram;
use crate::lists::{self, List};
use crate::{SearchError, varint};

/// How many octets a block has at most.
pub const MOST_BLOCK_OCTETS: usize = 3_840;
const _: () = assert!(lists::LONGEST + 10 + 3 <= MOST_BLOCK_OCTETS, "the longest entry must fit a block");

/// Some lists of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The least gram in it.
    pub first_gram: Gram,
    /// The lists, at most [`MOST_BLOCK_OCTETS`].
    pub octets: Vec<u8>,
}

impl Block {
    /// A block that was stored; its octets are looked at when it is read.
    #[must_use]
    pub fn stored(first_gram: i64, octets: Vec<u8>) -> Self {
        Self { first_gram: Gram(first_gram.cast_unsigned()), octets }
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
        lists::write(&mut self.list, documents);
        let distance = gram.0 - self.last;
        let length = varint::length(distance) + self.list.len();
        self.last = gram.0;
        match self.blocks.last_mut() {
            Some(block) if block.octets.len() + length <= MOST_BLOCK_OCTETS => {
                varint::write(&mut block.octets, distance);
                block.octets.extend(&self.list);
            }
            _ => {
                let mut octets = Vec::with_capacity(MOST_BLOCK_OCTETS);
                varint::write(&mut octets, gram.0);
                octets.extend(&self.list);
                self.blocks.push(Block { first_gram: gram, octets });
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
pub(crate) struct Entries<'a> {
    left: &'a [u8],
    last: Gram,
}

impl<'a> Entries<'a> {
    /// Those of these octets.
    pub(crate) fn of(octets: &'a [u8]) -> Self {
        Self { left: octets, last: Gram(0) }
    }

    fn take(&mut self) -> Result<(Gram, List<'a>), SearchError> {
        self.last = behind(self.last, varint::take(&mut self.left)?)?;
        Ok((self.last, lists::take(&mut self.left)?))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(Gram, List<'a>), SearchError>;

    /// The next list; nothing more follows an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.left.is_empty() {
            return None;
        }
        let taken = self.take();
        if taken.is_err() {
            self.left = &[];
        }
        Some(taken)
    }
}

/// The gram that lies so far behind another.
fn behind(gram: Gram, distance: u64) -> Result<Gram, SearchError> {
    gram.0.checked_add(distance).map(Gram).ok_or(SearchError::Corrupt)
}

/// A block that is read to its end, list after list.
#[derive(Debug)]
pub(crate) struct Cursor {
    octets: Vec<u8>,
    /// Where the next list begins.
    at: usize,
    /// Whose it is.
    gram: Gram,
}

impl Cursor {
    /// The beginning of a block; `None` for one without lists.
    pub(crate) fn of(octets: Vec<u8>) -> Result<Option<Self>, SearchError> {
        let mut cursor = Self { octets, at: 0, gram: Gram(0) };
        Ok(cursor.find_next()?.then_some(cursor))
    }

    /// Whose list comes next.
    pub(crate) fn gram(&self) -> Gram {
        self.gram
    }

    /// Gives each message of the next list to `with`, and goes behind it. Answers whether there is another.
    pub(crate) fn take(&mut self, with: impl FnMut(Document) -> Result<(), SearchError>) -> Result<bool, SearchError> {
        let mut left = self.left();
        lists::take(&mut left)?.each(with)?;
        self.at = self.octets.len() - left.len();
        self.find_next()
    }

    fn find_next(&mut self) -> Result<bool, SearchError> {
        let mut left = self.left();
        if left.is_empty() {
            return Ok(false);
        }
        let gram = behind(self.gram, varint::take(&mut left)?)?;
        (self.at, self.gram) = (self.octets.len() - left.len(), gram);
        Ok(true)
    }

    fn left(&self) -> &[u8] {
        self.octets.get(self.at..).unwrap_or_default()
    }
}
