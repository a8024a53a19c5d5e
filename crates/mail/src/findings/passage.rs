//! Text prepared for search: normalized characters, a lower-case copy, sentence boundaries.

use std::cell::OnceCell;
use std::ops::Range;

use crate::sanitize::{is_invisible, truncate};
use crate::vectorized;

/// Maximum length of the context in characters.
const MAX_CONTEXT_CHARS: usize = 200;
/// Minimum length of the last word of a sentence. A full stop after a shorter word may mark an abbreviation: "No. 5",
/// "Acme Inc. is".
const MIN_FINAL_WORD_CHARS: usize = 4;
/// Length of lines in characters that programs wrap in mid-sentence.
const WRAPPED_LINE_CHARS: std::ops::RangeInclusive<usize> = 45..=80;

/// Meaning of line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineWrapping {
    /// A line end terminates a sentence.
    Unwrapped,
    /// A line end terminates a sentence or wraps a long line.
    Wrapped,
}

/// A text with its sentences. Both spellings have the same length, so positions apply to both.
pub(super) struct TextPassage {
    /// Text with ASCII digits in place of full-width and Arabic ones, without invisible characters. All white space
    /// except LF is a plain space.
    pub(super) text: String,
    /// Lower-case copy; characters with a longer lower case stay unchanged.
    pub(super) lower: String,
    lines: LineWrapping,
    /// Sentences, split on first use; few messages need them.
    sentences: OnceCell<Vec<Range<usize>>>,
}

impl TextPassage {
    /// Creates a passage from at most `limit` bytes of a text.
    pub(super) fn new(text: &str, limit: usize) -> Self {
        Self::of(normalize_text(truncate(text, limit)), LineWrapping::Wrapped)
    }

    /// Creates a passage from normalized text.
    pub(super) fn of(text: String, lines: LineWrapping) -> Self {
        let lower =
            if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().map(lowercase_char).collect() };
        Self { text, lower, lines, sentences: OnceCell::new() }
    }

    /// Returns the shorter of sentences and lines, except those without letters and digits.
    pub(super) fn sentences(&self) -> &[Range<usize>] {
        self.sentences.get_or_init(|| sentences(&self.text, self.lines))
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// Returns the position this many characters before another, or the start of the text.
    pub(super) fn back(&self, from: usize, characters: usize) -> usize {
        let behind = self.slice(0..from);
        characters.checked_sub(1).map_or(from, |last| behind.char_indices().nth_back(last).map_or(0, |(at, _)| at))
    }

    /// Returns the position this many characters after another, or the end of the text.
    pub(super) fn ahead(&self, from: usize, characters: usize) -> usize {
        let rest = self.slice(from..self.text.len());
        rest.char_indices().nth(characters).map_or(self.text.len(), |(at, _)| from + at)
    }

    /// Returns the number of characters between two positions.
    pub(super) fn distance(&self, from: usize, to: usize) -> usize {
        self.slice(from..to.max(from)).chars().count()
    }

    /// Returns the index of the sentence at or before a position.
    pub(super) fn sentence_at(&self, at: usize) -> usize {
        self.sentences().partition_point(|sentence| sentence.start <= at).saturating_sub(1)
    }

    /// Returns the text around a finding on one line, balanced before and after it.
    pub(super) fn context(&self, found: Range<usize>) -> String {
        // White space shrinks, so the range read exceeds the range shown.
        let lead = one_line(self.slice(self.back(found.start, MAX_CONTEXT_CHARS + 1)..found.start));
        let rest = one_line(self.slice(found.start..self.ahead(found.start, MAX_CONTEXT_CHARS)));
        let rest_length = rest.chars().count();
        // The text before a finding describes it better than the text after it.
        let lead_length = lead.chars().count();
        let capacity = (MAX_CONTEXT_CHARS - 1).saturating_sub(rest_length.min(MAX_CONTEXT_CHARS / 2));
        let skipped = lead_length.saturating_sub(capacity);
        let lead: String = lead.chars().skip(skipped).collect();
        let lead = if skipped > 0 { lead.split_once(' ').map_or(lead.as_str(), |(_, whole)| whole) } else { &lead };
        let capacity = (MAX_CONTEXT_CHARS - 1).saturating_sub(lead.chars().count());
        let line: String = format!("{lead} {}", rest.chars().take(capacity).collect::<String>());
        line.trim().to_owned()
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Normalizes the characters of a text for comparison. Most texts are plain and need no change.
pub(super) fn normalize_text(text: &str) -> String {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n');
    if vectorized::all(text, is_plain) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !is_plain(byte)) {
        let (plain, odd) = rest.split_at(at);
        out.push_str(plain);
        let mut odd = odd.chars();
        out.extend(odd.next().and_then(normalize_char));
        rest = odd.as_str();
    }
    out.push_str(rest);
    out
}

/// Returns a character in the form for comparison; `None` for invisible ones.
pub(crate) fn normalize_char(c: char) -> Option<char> {
    match c {
        '\n' => Some(c),
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            char::from_u32(u32::from(c) - 0xfee0)
        }
        '\u{660}'..='\u{669}' => char::from_u32(u32::from(c) - 0x660 + 0x30),
        '\u{6f0}'..='\u{6f9}' => char::from_u32(u32::from(c) - 0x6f0 + 0x30),
        c if c.is_whitespace() => Some(' '),
        c if c.is_control() || is_invisible(c) => None,
        c => Some(c),
    }
}

fn lowercase_char(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(single), None) if single.len_utf8() == c.len_utf8() => single,
        _ => c,
    }
}

fn sentences(text: &str, lines: LineWrapping) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let has_words = |sentence: &Range<usize>| {
        text.get(sentence.clone()).is_some_and(|sentence| sentence.contains(char::is_alphanumeric))
    };
    let (mut start, mut line, mut read) = (0, 0, 0);
    while let Some(at) =
        text.as_bytes().get(read..).and_then(|rest| rest.iter().position(|byte| may_end_sentence(*byte)))
    {
        let (before, rest) = text.split_at(read + at);
        let mut behind = rest.chars();
        let c = behind.next().unwrap_or_default();
        let behind = behind.as_str();
        let end = text.len() - behind.len();
        read = end;
        let ends_word = || behind.chars().next().is_none_or(char::is_whitespace);
        let ends = match c {
            '\n' => {
                let width = || before.get(line..).unwrap_or_default().chars().count();
                let goes_on = lines == LineWrapping::Wrapped
                    && WRAPPED_LINE_CHARS.contains(&width())
                    && continues(before, behind);
                line = end;
                !goes_on
            }
            '。' | '！' | '？' => true,
            '!' | '?' => ends_word(),
            '.' => ends_word() && !ends_abbreviated(before),
            _ => false,
        };
        if ends {
            sentences.extend(Some(start..end).filter(has_words));
            start = end;
        }
    }
    sentences.extend(Some(start..text.len()).filter(has_words));
    sentences
}

/// Returns true if a character that begins with this byte may end a sentence or a line.
fn may_end_sentence(byte: u8) -> bool {
    // The last two values begin `。`, `！`, `？` and other characters.
    matches!(byte, b'\n' | b'!' | b'?' | b'.' | 0xe3 | 0xef)
}

/// Returns true if the last word of a text is short enough for an abbreviation.
fn ends_abbreviated(text: &str) -> bool {
    let letters = text.chars().rev().take_while(|c| c.is_alphabetic()).take(MIN_FINAL_WORD_CHARS).count();
    (1..MIN_FINAL_WORD_CHARS).contains(&letters)
}

/// Returns true if the sentence that ends `before` continues on the next line.
fn continues(before: &str, next: &str) -> bool {
    let line = next.split('\n').next().unwrap_or_default();
    !before.ends_with(':') && line.starts_with(char::is_alphanumeric) && line.contains(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let passage = TextPassage::new(text, 1000);
        passage.sentences().iter().map(|range| passage.slice(range.clone()).trim().to_owned()).collect()
    }

    #[test]
    fn sentences_end_at_full_stops_and_lines_except_abbreviations() {
        assert_eq!(
            cut("Hello there. Code no. 5 is\n\n--\n12! Ja?\u{a0}Ok"),
            ["Hello there.", "Code no. 5 is", "12!", "Ja?", "Ok"]
        );
        let broken = "the number that is needed for the transfer to the account\nDE12 is: 5";
        assert_eq!(cut(broken), [broken]);
        assert_eq!(cut("(69003). The code"), ["(69003).", "The code"]);
        assert_eq!(cut("コードです。１２３"), ["コードです。", "123"]);
    }

    #[test]
    fn lower_case_copy_has_equal_length() {
        let passage = TextPassage::new("İstanbul ẞ ÄÖ Ǆ К\u{200b}", 1000);
        assert_eq!(passage.text.len(), passage.lower.len());
        assert!(passage.lower.contains("äö") && !passage.text.contains('\u{200b}'));
    }

    #[test]
    fn context_is_one_bounded_line() {
        let text = format!("{}\n\nYour code:\n  483920 {}", "before ".repeat(100), "behind ".repeat(100));
        let passage = TextPassage::new(&text, 10_000);
        let at = passage.text.find("483920").unwrap_or_default();
        let context = passage.context(at..at + 6);
        assert!(context.contains("before Your code: 483920 behind"), "{context}");
        assert!(context.chars().count() <= MAX_CONTEXT_CHARS && context.chars().count() > MAX_CONTEXT_CHARS - 20);
    }
}
