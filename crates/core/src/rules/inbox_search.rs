//! Search text of inboxes: words that begin words of the address or display name.

/// Characters that separate words, beside white space.
pub const SEPARATORS: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ";
/// Maximum characters of a search text.
pub const MAX_SEARCH_CHARS: usize = 256;

/// Parsed search text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxTerms {
    /// Whole text, which may be an address or its beginning.
    pub address: String,
    /// Words that must all begin a word of the inbox, in lower case.
    pub words: Vec<String>,
}

impl InboxTerms {
    /// Parses a search text.
    ///
    /// # Errors
    /// The problem of a text that is too long or has no word.
    pub fn parse(text: &str) -> Result<Self, String> {
        let address = text.trim().to_lowercase();
        if address.chars().count() > MAX_SEARCH_CHARS {
            return Err(format!("must have at most {MAX_SEARCH_CHARS} characters"));
        }
        let is_separator = |character: char| character.is_whitespace() || SEPARATORS.contains(character);
        let words: Vec<String> =
            address.split(is_separator).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        if words.is_empty() { Err("must have a letter or digit".to_owned()) } else { Ok(Self { address, words }) }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_split_at_separators() {
        for (text, words) in [
            ("sup", vec!["sup"]),
            (" Support Desk ", vec!["support", "desk"]),
            ("support@example.com", vec!["support", "example", "com"]),
            ("100%_a\\", vec!["100", "a"]),
            ("Gr\u{f6}\u{df}e", vec!["gr\u{f6}\u{df}e"]),
        ] {
            assert_eq!(InboxTerms::parse(text).unwrap().words, words, "{text}");
        }
        for text in ["", " ", "..", "@@", &"x".repeat(257)] {
            assert!(InboxTerms::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn words_hold_no_wildcard_of_a_pattern(text in ".{0,40}") {
            for word in InboxTerms::parse(&text).map(|terms| terms.words).unwrap_or_default() {
                prop_assert!(!word.is_empty() && !word.contains(['%', '_', '\\', ' ']), "{word}");
            }
        }
    }
}
