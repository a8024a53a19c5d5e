//! Posting list of a gram in the shorter of two encodings.
//!
//! As gaps: for each message, the number of messages between it and the previous one. As bits: the number of skipped
//! bytes, then one bit for each message, low bits first, up to the last bit set.

use crate::documents::{Document, DocumentSet};
use crate::{SearchError, varint};

/// Encodings, the lowest bit of the length prefix.
const GAPS: u64 = 0;
const BITS: u64 = 1;

/// Maximum output of [`write`] in bytes: one bit for each message and a prefix of ten bytes.
pub(crate) const MAX_LIST_BYTES: usize = crate::MAX_DOCUMENTS as usize / 8 + 10;

/// Writes a list with its length prefix. The messages are sorted and unique.
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

/// An encoded posting list in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PostingList<'a> {
    form: u64,
    bytes: &'a [u8],
}

/// Takes a posting list from the front of the bytes.
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
    /// Adds the messages to a set. The list of a common gram has bits, which are added by the byte.
    pub(crate) fn add_to(self, documents: &mut DocumentSet) -> Result<(), SearchError> {
        if self.form == GAPS {
            return self.try_for_each(|document| documents.insert(document));
        }
        let mut bits = self.bytes;
        let skipped_bytes = varint::take(&mut bits)?;
        documents.insert_bits(skipped_bytes, bits)
    }

    /// Calls `with` with each message, in order.
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
