//! Text of a search in a query string: a substring or words.

use inboxd_core::rules::word_search::WordQuery;

use crate::query::QueryReader;

/// Values of `match`, the default first.
const MATCH_WORDS: [&str; 2] = ["substring", "words"];

/// Text of a search: a substring or words. Neither after a problem.
pub(crate) struct SearchText {
    pub(crate) substring: Option<String>,
    pub(crate) words: Option<WordQuery>,
}

impl QueryReader {
    /// Reads the text of a search, `q`, and how it is understood, `match`.
    pub(crate) fn search(&mut self) -> SearchText {
        let text = self.required_text("q");
        if self.word("match", &MATCH_WORDS) != Some("words") {
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
