//! Word search: messages that contain words in any order, where a substring search needs their exact sequence.
//!
//! [`WordQuery::parse`] reads a query. The same matcher decides whether a message matches and finds the parts to
//! highlight.

mod characters;
mod highlights;
mod matcher;
mod parser;

pub use highlights::Highlights;
pub use matcher::SearchedText;
pub use parser::WordQueryError;

/// Maximum number of words of a query.
pub const MAX_WORDS: usize = 32;
/// Maximum number of characters of a word.
pub const MAX_WORD_CHARS: usize = 64;

/// Part of a message that a term applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermField {
    /// Sender, To, Cc, subject, text and the text of each attachment, each on its own.
    Any,
    /// The sender.
    From,
    /// A recipient in To, Cc or Bcc.
    To,
    /// The subject.
    Subject,
}

/// Consecutive words of a query, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    field: TermField,
    /// Words in folded letter case.
    words: Vec<String>,
    /// Whether the last word must end where the word of the text ends. Otherwise it is a prefix.
    is_exact: bool,
}

/// A parsed query. A message matches when it contains all required terms and none of the excluded ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordQuery {
    required: Vec<Term>,
    excluded: Vec<Term>,
    needs_attachment: bool,
    excludes_attachments: bool,
}

impl WordQuery {
    /// Returns the pieces that the part of every matching message contains, in lower case. Capital and final sigma
    /// have two lower-case forms, so a piece ends before them.
    pub fn pieces(&self, field: TermField) -> impl Iterator<Item = &str> {
        let terms = self.required.iter().filter(move |term| term.field == field);
        let words = terms.flat_map(|term| &term.words);
        words.flat_map(|word| word.split(characters::SIGMA)).filter(|piece| !piece.is_empty())
    }

    /// Returns whether only messages with attachments match.
    #[must_use]
    pub fn needs_attachment(&self) -> bool {
        self.needs_attachment
    }

    /// Returns whether only messages without attachments match.
    #[must_use]
    pub fn excludes_attachments(&self) -> bool {
        self.excludes_attachments
    }
}
