//! Separator lines before another message.

use super::headers::is_label;
use super::lines::{bare, fold, is_rule, next_words, unquoted};
use super::words::marks::{FORWARDED, ORIGINAL, WRITE_ABOVE};

/// Maximum length of a separator line in bytes.
const MAX_SEPARATOR_BYTES: usize = 160;
/// Maximum length in bytes of one without dashes.
const MAX_UNDRAWN_BYTES: usize = 80;

/// Minimum number of dashes on both sides of an ambiguous word.
const MIN_WIDE_DASHES: usize = 10;
/// Maximum number of words after dashes without dashes at the end.
const MAX_UNFRAMED_WORDS: usize = 2;
/// Position by which the word for a forward must occur.
const MAX_WORDS_BEFORE: usize = 4;
/// Maximum number of extra bytes around a phrase in a script without spaces.
const MAX_UNSPACED_BYTES: usize = 12;

/// Kind of a separator between two messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MailSeparator {
    /// The parent message follows.
    Original,
    /// A forwarded message follows.
    Forward,
    /// The reply belongs above this line; the text of a service follows.
    WriteAbove,
}

/// Returns the separator at line `at`.
pub(crate) fn at(all: &[&str], at: usize) -> Option<MailSeparator> {
    let line = all.get(at)?;
    let introduces = || {
        let next = next_words(all, at + 1).and_then(|next| all.get(next));
        is_announcement(line) && next.is_some_and(|line| is_label(unquoted(line))) && !is_label(line)
    };
    if LineDrawing::of(line).is_any() || introduces() { classify(line) } else { None }
}

/// Returns true if a line starts a forwarded message.
pub(crate) fn is_forward(line: &str) -> bool {
    classify(line) == Some(MailSeparator::Forward)
}

/// Returns true if a line announces the parent message.
pub(crate) fn is_original(line: &str) -> bool {
    classify(line) == Some(MailSeparator::Original)
}

/// Classifies a line with dashes, or a short one with a colon at the end.
fn classify(line: &str) -> Option<MailSeparator> {
    if line.len() > MAX_SEPARATOR_BYTES {
        return None;
    }
    let drawing = LineDrawing::of(line);
    if !drawing.is_any() {
        if !is_announcement(line) {
            return None;
        }
        let words = fold(line);
        return match () {
            () if contains(&words, FORWARDED) => Some(MailSeparator::Forward),
            () if is_nearly(phrase(&words), ORIGINAL) => Some(MailSeparator::Original),
            () => None,
        };
    }
    let words = fold(line);
    if contains(&words, WRITE_ABOVE) {
        return Some(MailSeparator::WriteAbove);
    }
    let words = phrase(&words);
    let is_spoken = |words: &str| !words.contains(['.', '/']) && words.split(' ').count() <= MAX_UNFRAMED_WORDS;
    let is_short = drawing.is_framed() || is_spoken(words);
    if drawing.is_rule && is_short && FORWARDED.iter().any(|stem| starts_soon(words, stem)) {
        return Some(MailSeparator::Forward);
    }
    // QQ draws enough dashes for a single word.
    let is_original = is_nearly(words, ORIGINAL) || (drawing.is_wide() && words == "original");
    (drawing.is_rule && is_original).then_some(MailSeparator::Original)
}

/// Returns true for a line that may top a block of header lines: a rule, with or without words, or words that announce
/// a message.
pub(crate) fn is_ornament(line: &str) -> bool {
    if line.len() > MAX_SEPARATOR_BYTES {
        return false;
    }
    let drawing = LineDrawing::of(line);
    let announces = || ORIGINAL.contains(&phrase(&fold(line)));
    is_rule(line) || (drawing.is_any() && drawing.is_framed()) || (line.len() <= MAX_UNDRAWN_BYTES && announces())
}

fn is_announcement(line: &str) -> bool {
    line.len() <= MAX_UNDRAWN_BYTES && bare(line).ends_with([':', '：'])
}

fn contains(words: &str, pieces: &[&str]) -> bool {
    pieces.iter().any(|piece| words.contains(piece))
}

/// Strips the characters drawn around the words of a folded line.
fn phrase(words: &str) -> &str {
    let is_drawn =
        |c: char| c.is_whitespace() || matches!(c, '-' | '_' | '=' | '#' | '[' | ']' | '<' | '>' | ':' | '(' | ')');
    let words = words.trim_matches(is_drawn);
    words.trim_start_matches("&nbsp;").trim_end_matches("&nbsp;").trim_matches(is_drawn)
}

/// Returns true if the words equal a phrase. Scripts without spaces may add a few characters.
fn is_nearly(words: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        words == *phrase
            || (words.len() > phrase.len()
                && phrase.chars().all(|c| c == ' ' || c >= '\u{2e80}')
                && words.len() <= phrase.len() + MAX_UNSPACED_BYTES
                && words.contains(phrase))
    })
}

/// Returns true if one of the first words begins with the stem, or contains it in a script without spaces.
fn starts_soon(words: &str, stem: &str) -> bool {
    if stem.starts_with(|c: char| c >= '\u{2e80}') {
        return words.contains(stem);
    }
    words.starts_with(stem)
        || words
            .match_indices(' ')
            .take(MAX_WORDS_BEFORE - 1)
            .any(|(at, gap)| words.get(at + gap.len()..).is_some_and(|rest| rest.starts_with(stem)))
}

/// Characters drawn at the start and end of a line with words.
#[derive(Debug, Clone, Copy)]
struct LineDrawing {
    start: usize,
    end: usize,
    /// True for characters of a rule; headings use others.
    is_rule: bool,
}

impl LineDrawing {
    fn of(line: &str) -> Self {
        let start = drawn(line.chars());
        if start < 2 || is_rule(line) {
            return Self { start: 0, end: 0, is_rule: false };
        }
        let is_rule = start >= 3 || line.trim_start().starts_with('-');
        Self { start, end: drawn(line.chars().rev()), is_rule: is_rule && !line.trim_start().starts_with('#') }
    }

    /// Returns true for words after three drawn characters, or between two of them.
    fn is_any(self) -> bool {
        self.start >= 3 || (self.start == 2 && self.is_framed())
    }

    fn is_wide(self) -> bool {
        self.start.min(self.end) >= MIN_WIDE_DASHES
    }

    fn is_framed(self) -> bool {
        self.end >= 2
    }
}

/// Counts the drawn characters at the start, ignoring decoration.
fn drawn(chars: impl Iterator<Item = char>) -> usize {
    let is_dash = |c: &char| matches!(c, '-' | '_' | '=' | '#' | '\u{2010}'..='\u{2015}' | '－' | '─' | '━');
    let decorates = |c: &char| c.is_whitespace() || crate::sanitize::is_invisible(*c) || matches!(c, '*' | '[' | '<');
    chars.take_while(|c| is_dash(c) || decorates(c)).filter(is_dash).count()
}
