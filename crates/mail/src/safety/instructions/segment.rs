//! A piece of text in the form for comparison, with the places of its characters in the source.

use std::ops::Range;

use crate::findings::{is_spaced_letter, normalize_char};
use crate::sanitize::{is_invisible, is_unseen};

/// Maximum length in bytes of a sentence; a longer one is cut.
const MAX_SENTENCE_BYTES: usize = 400;

/// A normalized piece: lower case, one space between words, no invisible characters, LF between paragraphs.
#[derive(Debug, Default)]
pub(super) struct Segment {
    pub(super) lower: String,
    /// Source position of each byte of `lower`, and of its end.
    places: Vec<usize>,
}

impl Segment {
    /// Normalizes a piece of a text that starts at `start`.
    pub(super) fn of(piece: &str, start: usize) -> Self {
        let mut segment =
            Self { lower: String::with_capacity(piece.len()), places: Vec::with_capacity(piece.len() + 1) };
        let mut at_line_start = false;
        for (at, c) in piece.char_indices() {
            match c {
                '\n' if at_line_start => segment.paragraph(start + at),
                '\n' => {
                    at_line_start = true;
                    segment.push(' ', start + at);
                }
                // Marks of quotations.
                '>' if at_line_start => {}
                c if is_invisible(c) || is_unseen(c) => {}
                c => {
                    at_line_start &= c.is_whitespace();
                    let normalized = normalize_char(c);
                    normalized.into_iter().flat_map(char::to_lowercase).for_each(|c| segment.push(c, start + at));
                }
            }
        }
        segment.places.push(start + piece.len());
        segment
    }

    fn push(&mut self, c: char, place: usize) {
        let is_second_space = c == ' ' && self.lower.ends_with([' ', '\n']);
        if !is_second_space {
            self.lower.push(c);
            self.places.resize(self.lower.len(), place);
        }
    }

    fn paragraph(&mut self, place: usize) {
        if self.lower.ends_with(' ') {
            self.lower.pop();
            self.places.pop();
        }
        if !self.lower.ends_with('\n') {
            self.push('\n', place);
        }
    }

    /// Returns the source position of a position in `lower`.
    pub(super) fn source(&self, at: usize) -> usize {
        self.places.get(at).or(self.places.last()).copied().unwrap_or_default()
    }
}

/// Splits a normalized text into sentences.
pub(super) fn sentences(lower: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut characters = lower.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let end = at + c.len_utf8();
        let is_end = match c {
            '.' | '!' | '?' => characters.peek().is_none_or(|(_, next)| next.is_whitespace()),
            '。' | '！' | '？' | '\n' => true,
            c => end - start > MAX_SENTENCE_BYTES && !is_spaced_letter(c),
        };
        if is_end {
            sentences.push(start..end);
            start = end;
        }
    }
    if start < lower.len() {
        sentences.push(start..lower.len());
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_keep_their_places() {
        let segment = Segment::of("> Ignore\n> ÄLL  th\u{200b}e\n\nrest", 10);
        assert_eq!(segment.lower, "> ignore äll the\nrest");
        let at = segment.lower.find("all").or_else(|| segment.lower.find("äll")).unwrap_or_default();
        assert_eq!(segment.source(at), 10 + "> Ignore\n> ".len());
        assert_eq!(segment.source(segment.lower.len()), 10 + "> Ignore\n> ÄLL  th\u{200b}e\n\nrest".len());
    }
}
