//! Texts of strangers, as a page shows them: names, subjects, file names, previews, bodies.
//!
//! Templates escape them. Here they lose invisible and reordering characters and get an end.

use crate::clean::clean;

/// Returns a text on one line: cleaned, with single spaces, cut to a number of characters.
pub(crate) fn shown(text: &str, max_chars: usize) -> String {
    // A bound before the work: at most four bytes a character, and as many again for spaces and hidden characters.
    let start = start_of(text, max_chars.saturating_mul(8));
    let mut line = String::with_capacity(start.len());
    for word in clean(start).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    cut(line, max_chars, start.len() < text.len())
}

/// Returns a text with its lines: cleaned, cut to a number of characters.
pub(crate) fn shown_lines(text: &str, max_chars: usize) -> String {
    let start = start_of(text, max_chars.saturating_mul(8));
    cut(clean(start), max_chars, start.len() < text.len())
}

/// Cuts a text to a number of characters, and marks the cut.
fn cut(mut text: String, max_chars: usize, is_cut: bool) -> String {
    if let Some((end, _)) = text.char_indices().nth(max_chars) {
        text.truncate(end);
    } else if !is_cut {
        return text;
    }
    text.truncate(text.trim_end().len());
    text.push('…');
    text
}

/// Returns the beginning of a text, up to a number of bytes.
pub(crate) fn start_of(text: &str, max_bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(max_bytes)).unwrap_or(text)
}

/// Returns a number of bytes in words.
pub(crate) fn size(bytes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit / (unit / 10));
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        1_000_000..1_000_000_000 => format!("{} MB", tenths(1_000_000)),
        _ => format!("{} GB", tenths(1_000_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1_000, "1 kB"),
            (999_001, "1000 kB"),
            (1_250_000, "1.2 MB"),
            (25_000_000_000, "25.0 GB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn text_is_one_clean_line_with_an_end() {
        for (text, max_chars, expected) in [
            ("a  b\r\n\tc ", 10, "a b c"),
            ("pay\u{202e}lap", 10, "paylap"),
            ("0123456789", 10, "0123456789"),
            ("01234567890", 10, "0123456789…"),
            ("012345678 9 0", 10, "012345678…"),
            ("äöü", 2, "äö…"),
            ("", 10, ""),
            ("\u{202e}\u{202e}\u{202e}\u{202e}\u{202e}\u{202e}\u{202e}\u{202e}\u{202e}x", 1, "…"),
        ] {
            assert_eq!(shown(text, max_chars), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_of_a_text_stay() {
        assert_eq!(shown_lines("a\r\n  b\u{200b}\n", 10), "a\n  b\n");
        assert_eq!(shown_lines("a\nb\nc", 3), "a\nb…");
    }
}
