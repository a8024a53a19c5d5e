//! Unicode encodings other than UTF-8.

use encoding_rs::{UTF_16BE, UTF_16LE};

use crate::wire::base64;

/// Decodes a text that begins with a byte order mark, regardless of its declared charset.
///
/// A UTF-8 mark does not prove that the whole text is UTF-8, so it is not handled here.
pub(super) fn marked(bytes: &[u8]) -> Option<String> {
    match bytes {
        [0xff, 0xfe, 0, 0, rest @ ..] => Some(utf32(rest, u32::from_le_bytes)),
        [0, 0, 0xfe, 0xff, rest @ ..] => Some(utf32(rest, u32::from_be_bytes)),
        [0xff, 0xfe, rest @ ..] => Some(UTF_16LE.decode_without_bom_handling(rest).0.into_owned()),
        [0xfe, 0xff, rest @ ..] => Some(UTF_16BE.decode_without_bom_handling(rest).0.into_owned()),
        _ => None,
    }
}

/// Decodes UTF-16 without a mark. The zero bytes of ASCII characters indicate the byte order. Valid UTF-8 without zeros
/// has only the wrong name.
pub(super) fn decode_utf16(bytes: &[u8]) -> String {
    if memchr::memchr(0, bytes).is_none()
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return text.to_owned();
    }
    let (pairs, _) = bytes.as_chunks::<2>();
    let zeros = |place: fn(&[u8; 2]) -> u8| pairs.iter().filter(|pair| place(pair) == 0).count();
    let encoding = if zeros(|[first, _]| *first) > zeros(|[_, second]| *second) { UTF_16BE } else { UTF_16LE };
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

/// Decodes UTF-32 without a mark; in big-endian order a character begins with zero.
pub(super) fn decode_utf32(bytes: &[u8]) -> String {
    match (std::str::from_utf8(bytes), bytes) {
        (Ok(text), _) if memchr::memchr(0, bytes).is_none() => text.to_owned(),
        (_, [0, ..]) => utf32(bytes, u32::from_be_bytes),
        _ => utf32(bytes, u32::from_le_bytes),
    }
}

fn utf32(bytes: &[u8], number: fn([u8; 4]) -> u32) -> String {
    let (whole, cut) = bytes.as_chunks::<4>();
    let chars = whole.iter().map(|bytes| char::from_u32(number(*bytes)));
    let broken = (!cut.is_empty()).then_some(None);
    chars.chain(broken).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Decodes UTF-7 (RFC 2152): `+` opens base64 of UTF-16, any other character closes it, and a `-` there vanishes.
pub(super) fn decode_utf7(bytes: &[u8]) -> String {
    let mut units: Vec<u16> = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'+' {
            units.push(if byte.is_ascii() { u16::from(byte) } else { 0xfffd });
            continue;
        }
        let is_sextet = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        let length = rest.iter().position(|byte| !is_sextet(byte)).unwrap_or(rest.len());
        let (encoded, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        rest = after.strip_prefix(b"-").unwrap_or(after);
        if encoded.is_empty() {
            units.push(u16::from(b'+'));
        }
        let bytes = base64::decode(encoded);
        units.extend(bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)));
    }
    String::from_utf16_lossy(&units)
}
