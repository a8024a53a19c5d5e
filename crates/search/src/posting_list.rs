//! The list of the messages that hold a gram, in whichever of two forms is shorter.
//!
//! As gaps: for each message a number, how many messages lie between it and the one before. As bits: a number, how many
//! octets are left out in front, then a bit for each message, the low ones first, up to the last one that is set.

use crate::documents::Document;
use crate::{SearchError, varint};

/// The two forms, as the lowest bit of a list's length.
const GAPS: u64 = 0;
const BITS: u64 = 1;

/// How many octets [`write`] takes at most: a bit for each message, and ten octets before them.
pub(crate) const MAX_LIST_BYTES: usize = crate::MAX_DOCUMENTS as usize / 8 + 10;

/// Writes a list, its length first. The messages are in order, and each is there once.
pub(crate) fn write(bytes: &mut Vec<u8>, documents: &[Document]) {
    let (Some(&first), Some(&last)) = (documents.first(), documents.last()) else { return };
    let skipped = u64::from(first / 8);
    let byte_of = |document: Document| usize::from(document / 8) - usize::from(first / 8);
    let bits = byte_of(last) + 1;
    let as_bits = bits + varint::length(skipped);
    let as_gaps: usize = gaps(documents).map(varint::length).sum();
    if as_gaps <= as_bits {
        varint::write(bytes, (as_u64(as_gaps) << 1) | GAPS);
        gaps(documents).for_each(|gap| varint::write(bytes, gap));
    } else {
        varint::write(bytes, (as_u64(as_bits) << 1) | BITS);
        varint::write(bytes, skipped);
        let begin = bytes.len();
        bytes.resize(begin + bits, 0);
        for &document in documents {
            if let Some(byte) = bytes.get_mut(begin + byte_of(document)) {
                *byte |= 1 << (document % 8);
            }
        }
    }
}

fn gaps(documents: &[Document]) -> impl Iterator<Item = u64> {
    let mut next = 0;
    documents.iter().map(move |&document| {
        let gap = u64::from(document) - next;
        next = u64::from(document) + 1;
        gap
    })
}

/// A list as it stands in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PostingList<'a> {
    form: u64,
    bytes: &'a [u8],
}

/// Takes a list from the front of the octets.
pub(crate) fn take<'a>(bytes: &mut &'a [u8]) -> Result<PostingList<'a>, SearchError> {
    let head = varint::take(bytes)?;
    let (list, rest) = usize::try_from(head >> 1)
        .ok()
        .and_then(|as_u64| bytes.split_at_checked(as_u64))
        .ok_or(SearchError::Corrupt)?;
    *bytes = rest;
    Ok(PostingList { form: head & 1, bytes: list })
}

impl PostingList<'_> {
    /// Gives each message to `with`, in order.
    pub(crate) fn try_for_each(
        self,
        mut with: impl FnMut(Document) -> Result<(), SearchError>,
    ) -> Result<(), SearchError> {
        let mut left = self.bytes;
        if self.form == GAPS {
            let mut next = 0_u64;
            while !left.is_empty() {
                let document = next.checked_add(varint::take(&mut left)?).ok_or(SearchError::Corrupt)?;
                with(to_document(document)?)?;
                next = document + 1;
            }
            return Ok(());
        }
        let skipped = varint::take(&mut left)?;
        for (byte, first) in left.iter().zip((skipped.saturating_mul(8)..).step_by(8)) {
            let mut bits = *byte;
            while let Some(bit) = lowest_bit(bits) {
                with(to_document(first.saturating_add(bit))?)?;
                bits &= bits - 1;
            }
        }
        Ok(())
    }
}

fn lowest_bit(bits: u8) -> Option<u64> {
    (bits != 0).then(|| u64::from(bits.trailing_zeros()))
}

fn to_document(number: u64) -> Result<Document, SearchError> {
    Document::try_from(number).map_err(|_| SearchError::Corrupt)
}

fn as_u64(bytes: usize) -> u64 {
    bytes as u64
}
