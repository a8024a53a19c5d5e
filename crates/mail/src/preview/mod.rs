//! One-line preview of a message for lists.

mod notices;

use std::borrow::Cow;

use self::notices::without_notices;
use crate::sanitize;

/// Maximum length of a preview in characters.
const MAX_PREVIEW_CHARS: usize = 200;

/// Characters of ruled lines and list markers, with which no sentence starts.
const DECORATION: &[char] = &['-', '=', '_', '*', '~', '|', '>', '#', '•', '·', '–', '—', '―', '─', '━', '═'];

/// Minimum length of a ruled line below the first word.
const MIN_RULE_CHARS: usize = 5;

/// Brackets around the target of a link after its words, or of a picture.
const BRACKETS: &[(char, char)] = &[('<', '>'), ('(', ')'), ('[', ']')];
const SCHEMES: &[&str] = &["https://", "http://", "mailto:", "cid:"];

/// Returns the first 200 characters of a text, with one space for each run of white space.
///
/// Invisible characters, ruled lines and bracketed link targets are omitted, and so are notices above the message: links
/// that open it elsewhere, warnings of a server about external senders, and notes that a program sent it. If nothing else
/// remains, they are shown.
#[must_use]
pub fn preview(text: &str) -> String {
    let mut line = PreviewLine::default();
    for word in without_notices(text).split_whitespace() {
        let is_ruled = line.text.is_empty() || word.chars().nth(MIN_RULE_CHARS - 1).is_some();
        let is_drawn = is_ruled && word.chars().all(|c| DECORATION.contains(&c));
        if !is_drawn && !line.add(&without_targets(word)) {
            break;
        }
    }
    if line.text.is_empty() {
        let _ = text.split_whitespace().all(|word| line.add(word));
    }
    line.text
}

#[derive(Default)]
struct PreviewLine {
    text: String,
    count: usize,
}

impl PreviewLine {
    /// Adds a word as far as the limit permits; returns false once the line is full.
    fn add(&mut self, word: &str) -> bool {
        let shown = sanitize::visible_text(word);
        let mut gap = !self.text.is_empty() && !shown.starts_with(['.', ',', ';', ':', ')']);
        for c in shown.chars().filter(|c| !c.is_control()) {
            let needed = 1 + usize::from(gap);
            if self.count + needed > MAX_PREVIEW_CHARS {
                return false;
            }
            if std::mem::take(&mut gap) {
                self.text.push(' ');
            }
            self.text.push(c);
            self.count += needed;
        }
        true
    }
}

/// Removes bracketed link targets from a word.
fn without_targets(word: &str) -> Cow<'_, str> {
    let mut remaining = Cow::Borrowed(word);
    for (open, close) in BRACKETS {
        let Some((before, inner)) = remaining.split_once(*open) else {
            continue;
        };
        if SCHEMES.iter().any(|scheme| inner.starts_with(scheme)) {
            let behind = inner.rsplit_once(*close).map_or("", |(_, behind)| behind);
            remaining = Cow::Owned(format!("{before}{behind}"));
        }
    }
    remaining
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn previews_start_with_words_and_contain_no_targets() {
        for (text, expected) in [
            ("  a\n\n b\t\tc\u{200b} \0", "a b c"),
            ("", ""),
            ("-----\n* * *\n| Total | 5 |", "Total | 5 |"),
            ("- one\n- two", "one - two"),
            ("---", "---"),
            ("Total\n=====\nFive -- or six --- pieces", "Total Five -- or six --- pieces"),
            ("View in browser\n\nHello", "Hello"),
            ("View in browser", "View in browser"),
            ("$5 off [today] 🎉", "$5 off [today] 🎉"),
            ("See it here (https://e.org/a?b=c). Then go.", "See it here. Then go."),
            ("Click here<https://e.org/a(b)> now", "Click here now"),
            ("[https://e.org/logo.png] [cid:image001.png@01] Hello", "Hello"),
            ("<https://e.org>", "<https://e.org>"),
            ("https://e.org", "https://e.org"),
            ("f(x) is <b> [1]", "f(x) is <b> [1]"),
            ("a \u{200c} \u{200c}\u{a0}\u{34f} b", "a b"),
            ("x\u{e0049}\u{e0067}\u{e006e} y", "x y"),
            (
                "Hei 👩\u{200d}🚀 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
                "Hei 👩\u{200d}🚀 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            ),
        ] {
            assert_eq!(preview(text), expected, "{text:?}");
        }
    }

    #[test]
    fn preview_length_is_bounded() {
        assert_eq!(preview(&"é".repeat(500)).chars().count(), 200);
        assert!(preview(&"a ".repeat(500)).chars().count() <= 200);
    }
}
