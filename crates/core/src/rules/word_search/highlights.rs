//! Fragments of a message around the words of a query.

use std::ops::Range;

use super::{SearchedText, Term, TermField, WordQuery};
use crate::rules::names::is_format;

/// Maximum number of fragments of a part of a message.
const MAX_FRAGMENTS: usize = 3;
/// Maximum number of places of a term that become part of a fragment.
const MAX_HITS: usize = 3;
/// Characters before and after a word, at most.
const CONTEXT_CHARS: usize = 60;
/// Mark before and after a word.
const MARK: &str = "**";

/// Fragments with the words of the query between `**`, by part of the message. A part without any has no fragments.
///
/// A fragment is plain text of the sender. Line ends become spaces; control characters and invisible ones are left
/// out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Highlights {
    /// From the sender.
    pub from: Vec<String>,
    /// From the recipients in To and Cc, and in Bcc for `to:`.
    pub recipients: Vec<String>,
    /// From the subject.
    pub subject: Vec<String>,
    /// From the text.
    pub text: Vec<String>,
    /// From the texts of the attachments.
    pub attachments: Vec<String>,
}

impl WordQuery {
    /// Returns the fragments of a message.
    #[must_use]
    pub fn highlights(&self, message: SearchedText<'_>) -> Highlights {
        let within = |fields: &[TermField]| -> Vec<&Term> {
            self.required.iter().filter(|term| fields.contains(&term.field)).collect()
        };
        let (any, to) = (within(&[TermField::Any, TermField::To]), within(&[TermField::To]));
        let mut recipients = fragments(&any, message.recipients());
        recipients.extend(fragments(&to, message.blind_copies()));
        recipients.truncate(MAX_FRAGMENTS);
        Highlights {
            from: fragments(&within(&[TermField::Any, TermField::From]), message.sender()),
            recipients,
            subject: fragments(&within(&[TermField::Any, TermField::Subject]), message.subject()),
            text: fragments(&within(&[TermField::Any]), message.text.into_iter()),
            attachments: fragments(&within(&[TermField::Any]), message.attachments()),
        }
    }
}

fn fragments<'a>(terms: &[&Term], texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    texts.flat_map(|text| fragments_of(terms, text)).take(MAX_FRAGMENTS).collect()
}

fn fragments_of(terms: &[&Term], text: &str) -> Vec<String> {
    let mut words: Vec<Range<usize>> = terms.iter().flat_map(|term| term.hits(text).take(MAX_HITS)).flatten().collect();
    words.sort_by_key(|word| (word.start, std::cmp::Reverse(word.end)));
    // Of overlapping words the first remains.
    let mut end = 0;
    words.retain(|word| {
        let is_free = word.start >= end;
        end = end.max(word.end);
        is_free
    });
    let mut fragments: Vec<String> = Vec::new();
    let mut written = 0;
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        if fragments.len() == MAX_FRAGMENTS {
            break;
        }
        let start = before(text, word.start).max(written);
        let end = after(text, word.end);
        let mut fragment = Fragment::default();
        fragment.push(text.get(start..word.start));
        fragment.mark(text.get(word.clone()));
        written = word.end;
        while let Some(next) = words.next_if(|next| next.end <= end) {
            fragment.push(text.get(written..next.start));
            fragment.mark(text.get(next.clone()));
            written = next.end;
        }
        // The text up to the next word belongs to its fragment.
        let end = words.peek().map_or(end, |next| end.min(next.start)).max(written);
        fragment.push(text.get(written..end));
        written = end;
        fragments.push(fragment.text.trim().to_owned());
    }
    fragments
}

/// Text of a fragment in construction.
#[derive(Default)]
struct Fragment {
    text: String,
}

impl Fragment {
    /// Appends text of the sender.
    fn push(&mut self, text: Option<&str>) {
        for character in text.unwrap_or_default().chars() {
            if character.is_whitespace() {
                if !self.text.ends_with(' ') {
                    self.text.push(' ');
                }
            } else if !character.is_control() && !is_format(character) {
                self.text.push(character);
            }
        }
    }

    fn mark(&mut self, word: Option<&str>) {
        self.text.push_str(MARK);
        self.push(word);
        self.text.push_str(MARK);
    }
}

/// Returns where the context before a byte begins: at a space if there is one.
fn before(text: &str, end: usize) -> usize {
    let text = text.get(..end).unwrap_or_default();
    let Some((start, _)) = text.char_indices().rev().nth(CONTEXT_CHARS - 1).filter(|(start, _)| *start > 0) else {
        return 0;
    };
    let context = text.get(start..).unwrap_or_default();
    context.find(char::is_whitespace).map_or(start, |space| start + space)
}

/// Returns where the context after a byte ends: at a space if there is one.
fn after(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let Some((end, _)) = rest.char_indices().nth(CONTEXT_CHARS) else { return text.len() };
    let context = rest.get(..end).unwrap_or_default();
    start + context.rfind(char::is_whitespace).unwrap_or(end)
}
