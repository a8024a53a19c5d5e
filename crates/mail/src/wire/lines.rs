//! Lines of bytes that end in CRLF or bare LF.

use std::borrow::Cow;

/// Replaces CR by LF in messages that end lines in CR alone, as old Macintosh programs do. No byte moves.
pub(crate) fn readable(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\n', raw).is_some() || memchr::memchr(b'\r', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    raw.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte }).collect()
}

/// Returns the line at `at` without its ending and the start of the next line; `None` at the end.
pub(crate) fn line_at(raw: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = raw.get(at..).filter(|rest| !rest.is_empty())?;
    let (line, next) = match memchr::memchr(b'\n', rest) {
        Some(end) => (rest.get(..end).unwrap_or_default(), at + end + 1),
        None => (rest, raw.len()),
    };
    Some((line.strip_suffix(b"\r").unwrap_or(line), next))
}

/// Moves `end` back over one line ending, but never before `start`.
pub(crate) fn before_line_ending(raw: &[u8], start: usize, end: usize) -> usize {
    let Some(slice) = raw.get(start..end) else {
        return end;
    };
    let slice = slice.strip_suffix(b"\n").map_or(slice, |s| s.strip_suffix(b"\r").unwrap_or(s));
    start + slice.len()
}
