//! Dot-stuffing of DATA content (RFC 5321, section 4.5.2).

use memchr::{memchr, memchr2};

/// Size of a block of the content.
const BLOCK_BYTES: usize = 32 * 1024;

/// Returns the dot-stuffed blocks of a message. The last block ends with the end of the content.
pub(crate) fn blocks(raw: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let mut line_start = true;
    let ended = raw.is_empty() || raw.ends_with(b"\r\n");
    let end: &[u8] = if ended { b".\r\n" } else { b"\r\n.\r\n" };
    let (most, last) = raw.split_at(raw.len().saturating_sub(1) / BLOCK_BYTES * BLOCK_BYTES);
    most.chunks(BLOCK_BYTES).map(|piece| (piece, &[][..])).chain(std::iter::once((last, end))).map(
        move |(piece, end)| {
            let mut block = stuff(piece, &mut line_start);
            block.extend_from_slice(end);
            block
        },
    )
}

/// Returns whether the content has a CR or LF on its own. Servers disagree about such line ends, so they permit SMTP
/// smuggling.
pub(crate) fn has_bare_line_end(raw: &[u8]) -> bool {
    let mut rest = raw;
    while let Some(position) = memchr2(b'\r', b'\n', rest) {
        if !rest[position..].starts_with(b"\r\n") {
            return true;
        }
        rest = &rest[position + 2..];
    }
    false
}

fn stuff(piece: &[u8], line_start: &mut bool) -> Vec<u8> {
    let mut stuffed = Vec::with_capacity(piece.len() + 64);
    let mut rest = piece;
    while !rest.is_empty() {
        if *line_start && rest.starts_with(b".") {
            stuffed.push(b'.');
        }
        let end = memchr(b'\n', rest);
        let (line, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        stuffed.extend_from_slice(line);
        *line_start = end.is_some();
        rest = after;
    }
    stuffed
}
