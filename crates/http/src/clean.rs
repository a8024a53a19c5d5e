//! Removal of characters that hide, reorder or control text.
//!
//! Text of a stranger reaches a model as characters, so a model reads words that a person never sees; and a person may
//! see another order of words than there is. [`clean`] leaves the visible characters in their order.

use inboxd_core::rules::names::is_format;

/// Returns the text without invisible characters, with LF as its only line end.
///
/// Removed are control characters, direction marks and overrides, zero-width characters, Unicode tags and rows of
/// variation selectors. Joiners stay, because they shape letters and emoji.
pub(crate) fn clean(text: &str) -> String {
    // Most texts of a result are such.
    if text.bytes().all(|byte| matches!(byte, b'\t' | b'\n' | b' '..=b'~')) {
        return text.to_owned();
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut before = None;
    let mut kept = None;
    for c in text.chars() {
        let shown = match c {
            // CRLF is one line end.
            '\n' if before == Some('\r') => None,
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
            '\n' | '\t' => Some(c),
            c if is_selector(c) && kept.is_none_or(is_selector) => None,
            c if c.is_control() || is_format(c) => None,
            c => Some(c),
        };
        cleaned.extend(shown);
        kept = shown.or(kept);
        before = Some(c);
    }
    cleaned
}

/// Returns whether the character selects a variant of the one before it. Several in a row can carry hidden bytes.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hidden_characters_are_removed() {
        for (given, expected) in [
            ("plain text", "plain text"),
            ("a\r\nb\rc\u{2028}d\u{85}e\tf", "a\nb\nc\nd\ne\tf"),
            ("pay\u{202e}lap\u{2066}x\u{2069}", "paylapx"),
            ("z\u{200b}e\u{feff}r\u{2060}o\u{ad}", "zero"),
            ("\u{1b}[31mred\u{0}\u{7}\u{9b}", "[31mred"),
            ("a\u{e0049}\u{e0047}\u{e004e}b", "ab"),
            ("a\u{fe00}\u{fe01}\u{fe0f}b", "a\u{fe00}b"),
            ("a\u{e0101}\u{e01ef}b", "ab"),
            ("\u{fe0f}a", "a"),
            ("❤\u{fe0f} 👩\u{200d}💻", "❤\u{fe0f} 👩\u{200d}💻"),
            ("نمی\u{200c}خواهم", "نمی\u{200c}خواهم"),
        ] {
            assert_eq!(clean(given), expected, "{given:?}");
        }
    }

    proptest! {
        #[test]
        fn cleaning_is_idempotent_and_leaves_no_control_character(
            start in "\\PC*",
            hidden in "[\\x00-\\x1f\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{fe00}-\u{fe0f}]{0,9}",
            end in ".{0,40}",
        ) {
            let cleaned = clean(&format!("{start}{hidden}{end}"));
            prop_assert_eq!(clean(&cleaned), cleaned.clone());
            prop_assert!(cleaned.chars().all(|c| c == '\n' || c == '\t' || !(c.is_control() || is_format(c))));
        }
    }
}
