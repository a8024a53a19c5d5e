//! Decides whether a message matches a word query.
//!
//! Time is linear in the text for each word of the query.

use std::ops::Range;

use super::characters::{folded, is_boundary, is_word};
use super::{Term, TermField, WordQuery};
use crate::model::MessageItem;

/// The searched parts of a message.
#[derive(Debug, Clone, Copy)]
pub struct SearchedText<'a> {
    /// The message.
    pub item: &'a MessageItem,
    /// Its text; `None` without one.
    pub text: Option<&'a str>,
    /// The texts of its attachments, as far as they have been read.
    pub attachments: &'a [String],
}

impl<'a> SearchedText<'a> {
    pub(super) fn sender(self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.item.from.as_str())
    }

    /// Returns the recipients that every reader may search.
    pub(super) fn recipients(self) -> impl Iterator<Item = &'a str> {
        self.item.to.iter().chain(&self.item.cc).map(String::as_str)
    }

    pub(super) fn blind_copies(self) -> impl Iterator<Item = &'a str> {
        self.item.bcc.iter().map(String::as_str)
    }

    pub(super) fn subject(self) -> impl Iterator<Item = &'a str> {
        self.item.subject.iter().map(String::as_str)
    }

    pub(super) fn attachments(self) -> impl Iterator<Item = &'a str> {
        self.attachments.iter().map(String::as_str)
    }

    fn is_found(self, term: &Term) -> bool {
        let is_in = |part: &str| term.hits(part).next().is_some();
        match term.field {
            TermField::Any => {
                let header = self.sender().chain(self.subject()).chain(self.recipients());
                header.chain(self.text).chain(self.attachments()).any(is_in)
            }
            TermField::From => self.sender().any(is_in),
            TermField::To => self.recipients().chain(self.blind_copies()).any(is_in),
            TermField::Subject => self.subject().any(is_in),
        }
    }
}

impl WordQuery {
    /// Returns whether a message matches.
    #[must_use]
    pub fn matches(&self, message: SearchedText<'_>) -> bool {
        let has_attachment = !message.item.attachments.is_empty();
        (has_attachment || !self.needs_attachment)
            && !(has_attachment && self.excludes_attachments)
            && self.required.iter().all(|term| message.is_found(term))
            && !self.excluded.iter().any(|term| message.is_found(term))
    }
}

impl Term {
    /// Iterates over the places of the term in a text: the byte range of each word.
    pub(super) fn hits<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Vec<Range<usize>>> + 'a {
        let first = self.words.first().and_then(|word| word.chars().next());
        let mut previous = None;
        text.char_indices().filter_map(move |(start, character)| {
            let before = previous.replace(character);
            let is_candidate =
                first.is_some_and(|first| is_folded_to(character, first)) && is_boundary(before, Some(character));
            if is_candidate { self.hit_at(text, start) } else { None }
        })
    }

    /// Returns the ranges of the words if the term begins at this byte.
    fn hit_at(&self, text: &str, start: usize) -> Option<Vec<Range<usize>>> {
        let mut ranges = Vec::new();
        let mut begin = start;
        for (place, word) in self.words.iter().enumerate() {
            let is_last = place + 1 == self.words.len();
            let length = word_length(text.get(begin..)?, word, self.is_exact || !is_last)?;
            let end = begin + length;
            ranges.push(begin..end);
            let after = text.get(end..)?;
            // Something must separate the next word, so that "a b" does not match "ab".
            let separators = after.find(is_word).unwrap_or(after.len());
            if !is_last && separators == 0 {
                return None;
            }
            begin = end + separators;
        }
        Some(ranges)
    }
}

/// Returns the bytes of a word at the beginning of a text.
fn word_length(text: &str, word: &str, is_exact: bool) -> Option<usize> {
    let mut wanted = word.chars();
    let mut characters = text.chars();
    let mut last = None;
    while !wanted.as_str().is_empty() {
        let character = characters.next()?;
        if character.is_ascii() {
            if wanted.next() != Some(character.to_ascii_lowercase()) {
                return None;
            }
        } else {
            for lower in folded(character) {
                match wanted.next() {
                    Some(next) if next == lower => {}
                    Some(_) => return None,
                    // The word ends within the lower-case form of a character.
                    None if is_exact => return None,
                    None => break,
                }
            }
        }
        last = Some(character);
    }
    let rest = characters.as_str();
    let is_end = !is_exact || is_boundary(last, rest.chars().next());
    is_end.then(|| text.len() - rest.len())
}

/// Returns whether the lower-case form of a character begins with another one.
fn is_folded_to(character: char, first: char) -> bool {
    if character.is_ascii() { character.to_ascii_lowercase() == first } else { folded(character).next() == Some(first) }
}
