//! Taking out of strings what no reader and no database can bear.

/// Whether a character is invisible and steers how its neighbours are shown: zero-width signs and the bidirectional
/// overrides with which one name can be made to look like another.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// One line: line breaks and tabs become spaces, other control characters go, the ends are trimmed.
pub(crate) fn line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .filter_map(|c| match c {
            '\t' | '\r' | '\n' => Some(' '),
            c if c.is_control() => None,
            c => Some(c),
        })
        .collect();
    spaced.trim().to_owned()
}

/// A body: CRLF and CR become LF, and NUL goes, which databases cannot store.
pub(crate) fn body(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\0' => {}
            c => out.push(c),
        }
    }
    out
}

/// The longest start of `text` that is at most `limit` octets and ends between characters.
pub(crate) fn truncate(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_no_control_characters() {
        assert_eq!(line(" a\r\n\tb\0c\u{7} "), "a   bc");
        assert_eq!(body("a\r\nb\rc\nd\0"), "a\nb\nc\nd");
        assert_eq!(truncate("aé", 2), "a");
        assert_eq!(truncate("aé", 9), "aé");
    }
}
