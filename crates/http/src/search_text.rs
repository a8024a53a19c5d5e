//! Text of a search in a query string: a substring or words.

use inboxd_core::rules::word_search::WordQuery;

use crate::query::formats::{choice, required_text};
use crate::query::{QueryReader, query_params};

query_params! {
    /// Search text.
    pub(crate) struct SearchParams {
        /// Substring of sender, recipients, subject, text or the text of an attachment, or words if `match` is `words`.
        /// Letter case is ignored. Attachments are read some seconds after the message.
        q: Option<String> = required_text(),
        /// Meaning of `q`, by default a `substring`. With `words` all words must match, in any order, each at the
        /// beginning of a word of the message. `"…"` matches whole words in sequence, `from:`, `to:`, `subject:` and
        /// `has:attachment` select parts, and `-` excludes. Each result has `highlights`. A page may be short, or empty,
        /// and still have a next page.
        r#match: Option<SearchMode> = choice([("substring", SearchMode::Substring), ("words", SearchMode::Words)]),
    }
}

/// Meaning of a search text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchMode {
    /// Characters in sequence.
    Substring,
    /// Words in any order.
    Words,
}

/// Text of a search: a substring or words. Neither after a problem.
pub(crate) struct SearchText {
    pub(crate) substring: Option<String>,
    pub(crate) words: Option<WordQuery>,
}

impl QueryReader {
    /// Reads the text of a search, `q`, and how it is understood, `match`.
    pub(crate) fn search(&mut self) -> SearchText {
        let SearchParams { q: text, r#match: mode } = SearchParams::read(self);
        if mode != Some(SearchMode::Words) {
            return SearchText { substring: text, words: None };
        }
        let words = text.map(|text| WordQuery::parse(&text));
        if let Some(Err(error)) = &words {
            self.refuse("q", error.to_string());
        }
        SearchText { substring: None, words: words.and_then(Result::ok) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_texts() {
        for (query, substring, has_words, is_refused) in [
            ("q=a+%22b", Some("a \"b"), false, false),
            ("q=a&match=substring", Some("a"), false, false),
            ("q=a+b&match=words", None, true, false),
            ("q=a+%22b&match=words", None, false, true),
            ("q=-a&match=words", None, false, true),
            ("match=words", None, false, true),
            ("q=a&match=fuzzy", Some("a"), false, true),
        ] {
            let mut query_of = QueryReader::of(query);
            let read = query_of.search();
            let found = (read.substring.as_deref(), read.words.is_some(), query_of.finish().is_err());
            assert_eq!(found, (substring, has_words, is_refused), "{query}");
        }
    }
}
