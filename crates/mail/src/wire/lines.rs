//! Lines of octets, ended by CRLF or by a bare LF.

use std::borrow::Cow;

/// The mail with lines that end in LF where they end in CR alone, as old Macintosh programs have it. No octet moves.
pub(crate) fn readable(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\n', raw).is_some() || memchr::memchr(b'\r', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    raw.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte }).collect()
}

/// The line that starts at `at`, without its ending, and where the next one starts. `None` at the end.
pub(crate) fn line_at(raw: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = raw.get(at..).filter(|rest| !rest.is_empty())?;
    let (line, next) = match memchr::memchr(b'\n', rest) {
        Some(end) => (rest.get(..end).unwrap_or_default(), at + end + 1),
        None => (rest, raw.len()),
    };
    Some((line.strip_suffix(b"\r").unwrap_or(line), next))
}

/// `end` moved back over the one line ending before it, but never before `start`.
pub(crate) fn before_line_ending(raw: &[u8], start: usize, end: usize) -> usize {
    let Some(slice) = raw.get(start..end) else {
        return end;
    };
    let slice = slice.strip_suffix(b"\n").map_or(slice, |s| s.strip_suffix(b"\r").unwrap_or(s));
    start + slice.len()
}
