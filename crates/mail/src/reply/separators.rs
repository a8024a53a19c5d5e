//! Lines that say that another mail follows.

use super::headers::is_label;
use super::lines::{bare, fold, is_rule, next_words, unquoted};
use super::words::marks::{FORWARDED, ORIGINAL, WRITE_ABOVE};

/// The longest such line, in octets.
const MAX_SEPARATOR_BYTES: usize = 160;
/// The longest one without dashes.
const MAX_UNDRAWN_BYTES: usize = 80;

/// How many dashes there are at least on both sides of a word that says little by itself.
const MIN_WIDE_DASHES: usize = 10;
/// How many words a mail is announced with at most behind dashes, with none at the end.
const MAX_UNFRAMED_WORDS: usize = 2;
/// How many words stand at most before the one that says that a mail is passed on, this one counted.
const MAX_WORDS_BEFORE: usize = 4;
/// How much may stand around a phrase of a language that sets no spaces, in octets.
const MAX_UNSPACED_BYTES: usize = 12;

/// What a line says that stands between two mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MailSeparator {
    /// The mail that is answered follows.
    Original,
    /// A mail that is passed on follows.
    Forward,
    /// What stands above is to be the answer, what follows is the service's.
    WriteAbove,
}

/// What line `at` says of what follows.
pub(crate) fn at(all: &[&str], at: usize) -> Option<MailSeparator> {
    let line = all.get(at)?;
    let introduces = || {
        let next = next_words(all, at + 1).and_then(|next| all.get(next));
        is_announcement(line) && next.is_some_and(|line| is_label(unquoted(line))) && !is_label(line)
    };
    if LineDrawing::of(line).is_any() || introduces() { classify(line) } else { None }
}

/// Whether a line is one with which a mail that is passed on begins.
pub(crate) fn is_forward(line: &str) -> bool {
    classify(line) == Some(MailSeparator::Forward)
}

/// What a line says that is drawn, or short and ends with a colon.
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
    // QQ draws so much that one word is enough.
    let is_original = is_nearly(words, ORIGINAL) || (drawing.is_wide() && words == "original");
    (drawing.is_rule && is_original).then_some(MailSeparator::Original)
}

/// Whether a line may stand above a block of header lines as a part of it: a rule, with words in it or not, or words
/// that announce a mail.
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

/// The words of a folded line without what is drawn around them.
fn phrase(words: &str) -> &str {
    let is_drawn =
        |c: char| c.is_whitespace() || matches!(c, '-' | '_' | '=' | '#' | '[' | ']' | '<' | '>' | ':' | '(' | ')');
    let words = words.trim_matches(is_drawn);
    words.trim_start_matches("&nbsp;").trim_end_matches("&nbsp;").trim_matches(is_drawn)
}

/// Whether the words are one of the phrases. Languages that set no spaces may add a few signs.
fn is_nearly(words: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        words == *phrase
            || (words.len() > phrase.len()
                && phrase.chars().all(|c| c == ' ' || c >= '\u{2e80}')
                && words.len() <= phrase.len() + MAX_UNSPACED_BYTES
                && words.contains(phrase))
    })
}

/// Whether one of the first words begins with the stem, or holds it in a language that sets no spaces.
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

/// How much is drawn at the start and at the end of a line that has words too.
#[derive(Debug, Clone, Copy)]
struct LineDrawing {
    start: usize,
    end: usize,
    /// Whether it is drawn as a rule is: headings have other signs.
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

    /// Whether the line has words behind three dashes or the like, or between two of them.
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

/// How many dashes and the like come first, apart from what decorates them.
fn drawn(chars: impl Iterator<Item = char>) -> usize {
    let is_dash = |c: &char| matches!(c, '-' | '_' | '=' | '#' | '\u{2010}'..='\u{2015}' | '－' | '─' | '━');
    let decorates = |c: &char| c.is_whitespace() || crate::sanitize::is_invisible(*c) || matches!(c, '*' | '[' | '<');
    chars.take_while(|c| is_dash(c) || decorates(c)).filter(is_dash).count()
}
