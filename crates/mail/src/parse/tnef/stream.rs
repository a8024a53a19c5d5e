//! Attribute sequence of a TNEF stream ([MS-OXTNEF], section 2.1.2).

use std::ops::Range;

/// Signature at the start of a stream, followed by a key of two bytes.
const SIGNATURE: [u8; 4] = [0x78, 0x9f, 0x3e, 0x22];

/// `attOemCodepage`.
pub(super) const CODEPAGE: u32 = 0x0006_9007;
/// `attBody`.
pub(super) const BODY: u32 = 0x0002_800c;
/// `attMsgProps`.
pub(super) const MESSAGE_PROPERTIES: u32 = 0x0006_9003;
/// `attAttachRenddata`, the start of an attachment.
pub(super) const ATTACHMENT: u32 = 0x0006_9002;
/// `attAttachTitle`.
pub(super) const ATTACHMENT_TITLE: u32 = 0x0001_8010;
/// `attAttachData`.
pub(super) const ATTACHMENT_DATA: u32 = 0x0006_800f;
/// `attAttachment`, the properties of an attachment.
pub(super) const ATTACHMENT_PROPERTIES: u32 = 0x0006_9005;

/// An attribute of a stream.
#[derive(Debug)]
pub(super) struct TnefAttribute {
    pub(super) tag: u32,
    pub(super) data: Range<usize>,
}

/// Iterates over the attributes of the stream at `range`, up to the first truncated one.
///
/// Checksums are ignored, since a mismatch has no remedy.
pub(super) fn attributes(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = TnefAttribute> {
    let mut cursor = ByteCursor { bytes, range };
    let is_stream =
        cursor.take(6).and_then(|start| bytes.get(start)).is_some_and(|start| start.starts_with(&SIGNATURE));
    std::iter::from_fn(move || {
        let _level = cursor.take(1).filter(|_| is_stream)?;
        let tag = cursor.number()?;
        let length = cursor.number()?;
        let data = cursor.take(usize::try_from(length).ok()?)?;
        let _checksum = cursor.take(2);
        Some(TnefAttribute { tag, data })
    })
}

/// Reads the number at the start of `range`.
pub(super) fn number(bytes: &[u8], range: Range<usize>) -> Option<u32> {
    ByteCursor { bytes, range }.number()
}

/// Cursor over bytes.
#[derive(Debug)]
pub(super) struct ByteCursor<'a> {
    pub(super) bytes: &'a [u8],
    /// Unread range.
    pub(super) range: Range<usize>,
}

impl ByteCursor<'_> {
    /// Takes the range of the next `length` bytes.
    pub(super) fn take(&mut self, length: usize) -> Option<Range<usize>> {
        let end = self.range.start.checked_add(length).filter(|end| *end <= self.range.end)?;
        let taken = self.range.start..end;
        self.range.start = end;
        Some(taken)
    }

    /// Takes the next four bytes as a number.
    pub(super) fn number(&mut self) -> Option<u32> {
        let range = self.take(4)?;
        Some(u32::from_le_bytes(self.bytes.get(range)?.try_into().ok()?))
    }
}
