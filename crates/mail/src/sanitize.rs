//! Removal of characters that display or storage cannot handle.

use std::borrow::Cow;

/// Returns true for an invisible character that affects the display of its neighbours.
///
/// These are zero-width characters and bidirectional overrides, which can make one name look like another.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// Returns true for a Unicode tag character; tags spell ASCII invisibly.
fn is_tag_character(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Returns true for a variation selector. Two or more in a row can carry arbitrary bytes.
pub(crate) fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns true for a character that can be removed without a visible change.
///
/// Joiners and direction marks are not among them, because they shape letters and emoji.
pub(crate) fn is_unseen(c: char) -> bool {
    let shapes = matches!(c, '\u{61c}' | '\u{200c}'..='\u{200f}' | '\u{2066}'..='\u{2069}');
    is_invisible(c) && !shapes
}

/// Detector for invisible characters that carry hidden data.
#[derive(Default)]
struct SmugglingDetector {
    /// Number of tags that may still follow. A black flag becomes a regional flag with up to six tags and an end tag.
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

/// Returns true if `text` contains hidden words or reordered text.
///
/// Hidden words are tags outside flag emoji or rows of variation selectors. Overrides make the displayed order differ
/// from the written order.
#[must_use]
pub fn hides_characters(text: &str) -> bool {
    let holds = |sign: &str| memchr::memmem::find(text.as_bytes(), sign.as_bytes()).is_some();
    // Hidden data begins with one of these bytes, so most texts need no closer check.
    let may_smuggle = || memchr::memchr2(0xef, 0xf3, text.as_bytes()).is_some();
    let mut detector = SmugglingDetector::default();
    !text.is_ascii()
        && (holds("\u{202d}") || holds("\u{202e}") || (may_smuggle() && text.chars().any(|c| detector.smuggles(c))))
}

/// Returns the visible part of `text`. Invisible characters that shape their neighbours remain.
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

/// Converts a text to one line: line breaks and tabs become spaces, other control characters vanish, the ends are
/// trimmed.
pub(crate) fn single_line(text: &str) -> String {
    without_controls(text, |c| matches!(c, '\t' | '\r' | '\n'))
}

/// Removes control characters and trims the ends; those that satisfy `is_gap` become spaces.
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

/// Normalizes a body: CRLF and CR become LF, and NUL is removed because PostgreSQL cannot store it.
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

/// Returns the longest prefix of at most `limit` bytes that ends between characters.
pub(crate) fn truncate(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}

/// Truncates an owned text like [`truncate`], without a copy.
pub(crate) fn truncate_owned(mut text: String, limit: usize) -> String {
    text.truncate(text.floor_char_boundary(limit));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_contain_no_control_characters() {
        assert_eq!(single_line(" a\r\n\tb\0c\u{7} "), "a   bc");
        assert_eq!(normalize_body("a\r\nb\rc\nd\0"), "a\nb\nc\nd");
        assert_eq!(truncate("aé", 2), "a");
        assert_eq!(truncate("aé", 9), "aé");
    }
}
