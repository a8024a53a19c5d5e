//! MAPI properties in a TNEF attribute ([MS-OXTNEF], section 2.1.3.4).

use std::ops::Range;

use super::stream::ByteCursor;

/// `PidTagBody`.
pub(super) const BODY: u16 = 0x1000;
/// `PidTagBodyHtml`, `PidTagHtml`.
pub(super) const BODY_HTML: u16 = 0x1013;
/// `PidTagDisplayName`.
pub(super) const DISPLAY_NAME: u16 = 0x3001;
/// `PidTagAttachDataObject`, `PidTagAttachDataBinary`.
pub(super) const DATA: u16 = 0x3701;
/// `PidTagAttachFilename`.
pub(super) const NAME: u16 = 0x3704;
/// `PidTagAttachLongFilename`.
pub(super) const LONG_NAME: u16 = 0x3707;
/// `PidTagAttachMimeTag`.
pub(super) const MEDIA_TYPE: u16 = 0x370e;
/// `PidTagAttachContentId`.
pub(super) const CONTENT_ID: u16 = 0x3712;

/// Flag of a property type with several values.
const MANY: u16 = 0x1000;

/// A property with its first value.
#[derive(Debug)]
pub(super) struct MapiProperty {
    pub(super) id: u16,
    kind: u16,
    pub(super) value: Range<usize>,
}

impl MapiProperty {
    /// Returns true for text in the codepage of the stream.
    pub(super) fn is_narrow(&self) -> bool {
        self.kind == 0x001e
    }

    /// Returns true for text in UTF-16.
    pub(super) fn is_unicode(&self) -> bool {
        self.kind == 0x001f
    }

    /// Returns true for binary data.
    pub(super) fn is_binary(&self) -> bool {
        self.kind == 0x0102
    }
}

/// Iterates over the properties at `range`, up to the first invalid one.
pub(super) fn properties(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = MapiProperty> {
    let mut cursor = ByteCursor { bytes, range };
    let mut left = cursor.number().unwrap_or_default();
    std::iter::from_fn(move || {
        left = left.checked_sub(1)?;
        read(&mut cursor)
    })
}

fn read(cursor: &mut ByteCursor<'_>) -> Option<MapiProperty> {
    let [low, high, id @ ..] = cursor.number()?.to_le_bytes();
    let (kind, id) = (u16::from_le_bytes([low, high]), u16::from_le_bytes(id));
    if id >= 0x8000 {
        skip_name(cursor)?;
    }
    let base = kind & !MANY;
    let width = match base {
        0x0002 | 0x0003 | 0x0004 | 0x000a | 0x000b => Some(4),
        0x0005 | 0x0006 | 0x0007 | 0x0014 | 0x0040 => Some(8),
        0x0048 => Some(16),
        0x000d | 0x001e | 0x001f | 0x0102 => None,
        _ => return None,
    };
    let count = if kind & MANY != 0 || width.is_none() { cursor.number()? } else { 1 };
    let mut first = None;
    for _ in 0..count {
        let value = match width {
            Some(width) => cursor.take(width)?,
            None => padded(cursor)?,
        };
        first.get_or_insert(value);
    }
    Some(MapiProperty { id, kind: base, value: first.unwrap_or_default() })
}

/// Skips the name of a custom property: its set, and a number or a text.
fn skip_name(cursor: &mut ByteCursor<'_>) -> Option<()> {
    cursor.take(16)?;
    match cursor.number()? {
        0 => cursor.number().map(drop),
        _ => padded(cursor).map(drop),
    }
}

/// Reads length-prefixed bytes with padding to a multiple of four.
fn padded(cursor: &mut ByteCursor<'_>) -> Option<Range<usize>> {
    let length = usize::try_from(cursor.number()?).ok()?;
    let value = cursor.take(length)?;
    // The last value may lack its padding.
    let _padding = cursor.take(length.wrapping_neg() % 4);
    Some(value)
}
