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

    /// All blocks.
    pub(crate) fn finish(self) -> Vec<Block> {
        self.blocks
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
        let distance = varint::take(&mut self.left)?;
        self.last = Gram(self.last.0.checked_add(distance).ok_or(SearchError::Corrupt)?);
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
