//! Text of strangers, made safe for a terminal.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Returns whether a character could control a terminal or reorder the text around it.
fn is_hostile(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(character, '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Returns a text without control and direction characters; line breaks and tabs stay.
pub(crate) fn safe(text: &str) -> Cow<'_, str> {
    let is_kept = |character: char| matches!(character, '\n' | '\t') || !is_hostile(character);
    if text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|character| is_kept(*character)).collect())
}

/// Returns a text as one line: line breaks and tabs become spaces.
pub(crate) fn one_line(text: &str) -> String {
    let spaced = text.chars().map(|character| if matches!(character, '\n' | '\t' | '\r') { ' ' } else { character });
    spaced.filter(|character| !is_hostile(*character)).collect()
}

/// Escapes the hostile characters that JSON leaves as they are.
pub(crate) fn safe_json(json: &str) -> Cow<'_, str> {
    let is_escaped = |character: char| character != '\n' && is_hostile(character);
    if !json.chars().any(is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if is_escaped(character) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Returns the number of terminal cells of a text.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Cuts a text to a number of terminal cells. A cut text ends with `…`.
pub(crate) fn clip(text: &str, cells: usize) -> Cow<'_, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let mut clipped = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > cells {
            break;
        }
        clipped.push(character);
    }
    clipped.push('…');
    Cow::Owned(clipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_direction_characters_are_removed() {
        let hostile = "a\u{1b}[31mb\u{7}\u{9b}c\u{202e}d\u{2066}e\r\nf\tg\u{7f}";
        assert_eq!(safe(hostile), "a[31mbcde\nf\tg");
        assert_eq!(one_line(hostile), "a[31mbcde  f g");
        assert!(matches!(safe("Grüße 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_escapes_control_characters() {
        let json = serde_json::json!({"subject": "\u{1b}[2J\u{9b}x\u{202e}"}).to_string();
        let escaped = safe_json(&json);
        assert!(!escaped.chars().any(is_hostile), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).ok(), serde_json::from_str(&json).ok());
    }

    #[test]
    fn clipped_text_fits_its_cells() {
        assert_eq!(clip("日本語のメール", 7), "日本語…");
        assert_eq!(clip("hello", 5), "hello");
        assert_eq!(clip("hello!", 5), "hell…");
    }
}
