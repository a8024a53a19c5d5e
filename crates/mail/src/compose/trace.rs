//! Trace fields that servers prepend to a message.

/// Maximum line length in columns where a value contains a space to fold at (RFC 5322, section 2.1.1).
const FOLD_COLUMN: usize = 78;
/// Maximum line length in bytes (RFC 5321, section 4.5.3.1.6, without CRLF).
const MAX_LINE_BYTES: usize = 998;

/// Prepends `fields` in order and folds long values at spaces.
///
/// Line breaks and NUL in a value become spaces. A field with an invalid name is omitted.
#[must_use]
pub fn with_trace_headers(raw: &[u8], fields: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len() + fields.len() * FOLD_COLUMN * 2);
    for (name, value) in fields {
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic() && b != b':');
        if is_name {
            write_field(name, value, &mut out);
        }
    }
    out.extend_from_slice(raw);
    out
}

fn write_field(name: &str, value: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.push(b':');
    let mut column = name.len() + 1;
    let start = column;
    for word in value.split([' ', '\t', '\r', '\n', '\0']).filter(|word| !word.is_empty()) {
        for piece in pieces(word) {
            if column > start && column + 1 + piece.len() > FOLD_COLUMN {
                out.extend_from_slice(b"\r\n");
                column = 0;
            }
            out.push(b' ');
            out.extend_from_slice(piece.as_bytes());
            column += 1 + piece.len();
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// Splits a word that would exceed the line length.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let piece = crate::sanitize::truncate(rest, MAX_LINE_BYTES - FOLD_COLUMN);
        rest = rest.get(piece.len()..).unwrap_or_default();
        Some(piece).filter(|piece| !piece.is_empty())
    })
}
