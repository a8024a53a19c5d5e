//! Taking out of strings what no reader and no database can bear.

use std::borrow::Cow;

/// Whether a character is invisible and steers how its neighbours are shown: zero-width signs and the bidirectional
/// overrides with which one name can be made to look like another.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// The tags of Unicode, which spell ASCII invisibly.
fn is_tag_character(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// The selectors of variants, of which more than one in a row can carry any octets.
fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a text can lose a character without a reader missing it. The joiners and the marks of direction are not such,
/// which shape letters and emoji.
pub(crate) fn is_unseen(c: char) -> bool {
    let shapes = matches!(c, '\u{61c}' | '\u{200c}'..='\u{200f}' | '\u{2066}'..='\u{2069}');
    is_invisible(c) && !shapes
}

/// Finds the characters of a text that carry something past its readers.
#[derive(Default)]
struct SmugglingDetector {
    /// How many tags may still follow: a black flag becomes that of a region by at most six and their end.
    tags: u8,
    was_variant: bool,
}

impl SmugglingDetector {
    fn smuggles(&mut self, c: char) -> bool {
        let smuggles = (is_tag_character(c) && self.tags == 0) || (is_variation_selector(c) && self.was_variant);
        self.tags = match c {
            '\u{1f3f4}' => 7,
            c if is_tag_character(c) => self.tags.saturating_sub(1),
            _ => 0,
        };
        self.was_variant = is_variation_selector(c);
        smuggles
    }
}

/// Whether `text` holds characters that nobody sees and that spell words: tags of Unicode outside of the emoji of flags,
/// rows of variation selectors; or those that make what is seen run against the order in which it is written.
#[must_use]
pub fn hides_characters(text: &str) -> bool {
    let holds = |sign: &str| memchr::memmem::find(text.as_bytes(), sign.as_bytes()).is_some();
    // A first look, which spares most texts the closer one: what smuggles begins with one of these octets.
    let may_smuggle = || memchr::memchr2(0xef, 0xf3, text.as_bytes()).is_some();
    let mut detector = SmugglingDetector::default();
    !text.is_ascii()
        && (holds("\u{202d}") || holds("\u{202e}") || (may_smuggle() && text.chars().any(|c| detector.smuggles(c))))
}

/// What is seen of `text`: without invisible characters, but those that shape what is next to them.
pub(crate) fn visible_text(text: &str) -> Cow<'_, str> {
    let leaves_no_mark = |c: char| is_invisible(c) || is_tag_character(c) || is_variation_selector(c);
    if text.is_ascii() || !text.contains(leaves_no_mark) {
        return Cow::Borrowed(text);
    }
    if text.chars().all(|c| leaves_no_mark(c) || c.is_whitespace()) {
        return Cow::Borrowed("");
    }
    let mut detector = SmugglingDetector::default();
    Cow::Owned(text.chars().filter(|c| !detector.smuggles(*c) && !is_unseen(*c)).collect())
}

/// One line: line breaks and tabs become spaces, other control characters go, the ends are trimmed.
pub(crate) fn single_line(text: &str) -> String {
    without_controls(text, |c| matches!(c, '\t' | '\r' | '\n'))
}

/// A text without control characters, those that are gaps as spaces; the ends are trimmed.
pub(crate) fn without_controls(text: &str, is_gap: impl Fn(char) -> bool) -> String {
    let mut rest = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    let mut out = String::with_capacity(rest.len());
    while let Some((kept, control)) = rest.find(char::is_control).map(|at| rest.split_at(at)) {
        out.push_str(kept);
        let mut behind = control.chars();
        out.extend(behind.next().filter(|c| is_gap(*c)).map(|_| ' '));
        rest = behind.as_str();
    }
    out.push_str(rest);
    out
}

/// A body: CRLF and CR become LF, and NUL goes, which databases cannot store.
pub(crate) fn normalize_body(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut read = 0;
    for at in memchr::memchr2_iter(b'\r', b'\0', text.as_bytes()) {
        out.push_str(text.get(read..at).unwrap_or_default());
        read = at + 1;
        let behind = text.get(read..).unwrap_or_default();
        if text.as_bytes().get(at) == Some(&b'\r') && !behind.starts_with('\n') {
            out.push('\n');
        }
    }
    out.push_str(text.get(read..).unwrap_or_default());
    out
}

/// The longest start of `text` that is at most `limit` octets and ends between characters.
pub(crate) fn truncate(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}

/// The same of a text that is not needed as it was.
pub(crate) fn truncate_owned(mut text: String, limit: usize) -> String {
    text.truncate(text.floor_char_boundary(limit));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_no_control_characters() {
        assert_eq!(single_line(" a\r\n\tb\0c\u{7} "), "a   bc");
        assert_eq!(normalize_body("a\r\nb\rc\nd\0"), "a\nb\nc\nd");
        assert_eq!(truncate("aé", 2), "a");
        assert_eq!(truncate("aé", 9), "aé");
    }
}
