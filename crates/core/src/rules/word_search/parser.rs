//! Parser of word queries.

use thiserror::Error;

use super::characters::{SIGMA, folded, is_word};
use super::{MAX_WORD_CHARS, MAX_WORDS, Term, TermField, WordQuery};

/// Reason why a query is refused; the text follows the name of the parameter.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WordQueryError {
    /// Without a required word every message could match.
    #[error("contains no word that must occur; add a word, or from:, to: or subject: with a word")]
    NoRequiredWord,
    /// A quotation mark without its partner.
    #[error("contains a quotation mark that is not closed; close it or leave it out")]
    UnclosedQuote,
    /// A quotation without letters and digits.
    #[error("contains a quotation without letters and digits; put words between the quotation marks")]
    EmptyPhrase,
    /// An operator without a word.
    #[error("contains {0} without a word; write the word directly after the colon")]
    EmptyOperator(&'static str),
    /// `has:` with something else than `attachment`.
    #[error("contains has: with another word than attachment; write has:attachment")]
    UnknownProperty,
    /// More words than a query may have.
    #[error("contains more than {MAX_WORDS} words; leave some out")]
    TooManyWords,
    /// A word that is too long.
    #[error("contains a word of more than {MAX_WORD_CHARS} characters; shorten it or use match=substring")]
    LongWord,
}

/// An operator and the part of a message that it selects; `None` for a property.
const OPERATORS: [(&str, Option<TermField>); 4] = [
    ("from:", Some(TermField::From)),
    ("to:", Some(TermField::To)),
    ("subject:", Some(TermField::Subject)),
    ("has:", None),
];

impl WordQuery {
    /// Parses a query.
    ///
    /// Words are separated by spaces. A word matches the beginning of words; `"…"` matches whole words in sequence.
    /// `from:`, `to:`, `subject:` and `has:attachment` select parts, and `-` excludes what follows it. Characters that
    /// are neither letters nor digits separate words that must follow each other.
    ///
    /// # Errors
    ///
    /// The reason why the query is refused.
    pub fn parse(query: &str) -> Result<Self, WordQueryError> {
        let mut parsed =
            Self { required: Vec::new(), excluded: Vec::new(), needs_attachment: false, excludes_attachments: false };
        let mut rest = query.trim_start();
        while !rest.is_empty() {
            rest = parsed.read_term(rest)?.trim_start();
        }
        let terms = parsed.required.iter().chain(&parsed.excluded);
        if terms.map(|term| term.words.len()).sum::<usize>() > MAX_WORDS {
            return Err(WordQueryError::TooManyWords);
        }
        // A word of sigma alone has no piece for the index to look for.
        let is_bounded =
            parsed.required.iter().flat_map(|term| &term.words).any(|word| word.chars().any(|one| one != SIGMA));
        if is_bounded { Ok(parsed) } else { Err(WordQueryError::NoRequiredWord) }
    }

    /// Reads the next term and returns the rest of the query.
    fn read_term<'a>(&mut self, query: &'a str) -> Result<&'a str, WordQueryError> {
        let (query, is_excluded) = query.strip_prefix('-').map_or((query, false), |rest| (rest, true));
        let operator = OPERATORS.iter().find_map(|(name, field)| {
            let prefix = query.get(..name.len())?;
            prefix.eq_ignore_ascii_case(name).then(|| (*name, *field, query.get(name.len()..).unwrap_or_default()))
        });
        let (name, field, query) = operator.unwrap_or(("", Some(TermField::Any), query));
        let (text, is_exact, rest) = read_value(query)?;
        let words = words(text)?;
        let Some(field) = field else {
            if words != ["attachment"] {
                return Err(WordQueryError::UnknownProperty);
            }
            let property = if is_excluded { &mut self.excludes_attachments } else { &mut self.needs_attachment };
            *property = true;
            return Ok(rest);
        };
        if words.is_empty() {
            return match (is_exact, name) {
                (true, _) => Err(WordQueryError::EmptyPhrase),
                // Punctuation between words.
                (false, "") => Ok(rest),
                (false, name) => Err(WordQueryError::EmptyOperator(name)),
            };
        }
        let terms = if is_excluded { &mut self.excluded } else { &mut self.required };
        terms.push(Term { field, words, is_exact });
        Ok(rest)
    }
}

/// Reads a quotation or the characters up to a space or quotation mark. Returns whether it is a quotation, and the rest.
fn read_value(query: &str) -> Result<(&str, bool, &str), WordQueryError> {
    if let Some(quoted) = query.strip_prefix(is_quote) {
        let (text, rest) = quoted.split_once(is_quote).ok_or(WordQueryError::UnclosedQuote)?;
        return Ok((text, true, rest));
    }
    let end = query.find(|character: char| character.is_whitespace() || is_quote(character)).unwrap_or(query.len());
    let (text, rest) = query.split_at(end);
    Ok((text, false, rest))
}

fn is_quote(character: char) -> bool {
    matches!(character, '"' | '“' | '”' | '„')
}

fn words(text: &str) -> Result<Vec<String>, WordQueryError> {
    let folded: String = text.chars().flat_map(folded).collect();
    let words: Vec<String> =
        folded.split(|character| !is_word(character)).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    if words.iter().any(|word| word.chars().count() > MAX_WORD_CHARS) {
        return Err(WordQueryError::LongWord);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(query: &str) -> String {
        let parsed = match WordQuery::parse(query) {
            Ok(parsed) => parsed,
            Err(error) => return format!("{error:?}"),
        };
        let term = |sign: &str, term: &Term| {
            let field = match term.field {
                TermField::Any => "",
                TermField::From => "from:",
                TermField::To => "to:",
                TermField::Subject => "subject:",
            };
            format!("{sign}{field}{}{}", term.words.join("+"), if term.is_exact { "" } else { "*" })
        };
        let mut terms: Vec<String> = parsed.required.iter().map(|one| term("", one)).collect();
        terms.extend(parsed.excluded.iter().map(|one| term("-", one)));
        terms.extend(parsed.needs_attachment.then(|| "has".to_owned()));
        terms.extend(parsed.excludes_attachments.then(|| "-has".to_owned()));
        terms.join(" ")
    }

    #[test]
    fn queries_become_terms() {
        for (query, terms) in [
            ("Invoice MAY", "invoice* may*"),
            ("  invo*  ", "invo*"),
            ("\"paid in full\" now", "paid+in+full now*"),
            ("“paid” „in full“", "paid in+full"),
            ("anna@example.org", "anna+example+org*"),
            ("don't", "don+t*"),
            ("smith & sons", "smith* sons*"),
            ("from:anna To:bob subject:\"due date\"", "from:anna* to:bob* subject:due+date"),
            ("has:attachment report", "report* has"),
            ("report -HAS:Attachment -draft -from:\"no reply\"", "report* -draft* -from:no+reply -has"),
            ("http://x.example/a_b", "http+x+example+a+b*"),
            ("re: offer", "re* offer*"),
            ("offer -", "offer*"),
            ("a\"b\"", "a* b"),
            ("ΟΔΟΣ οδος", "οδοσ* οδοσ*"),
            ("ÜBERWEISUNG", "überweisung*"),
            ("会議は 月", "会議は* 月*"),
            ("e\u{301}te", "e\u{301}te*"),
            ("", "NoRequiredWord"),
            (" - & ", "NoRequiredWord"),
            ("Σ", "NoRequiredWord"),
            ("-spam", "NoRequiredWord"),
            ("has:attachment", "NoRequiredWord"),
            ("\"open", "UnclosedQuote"),
            ("5\" nails", "UnclosedQuote"),
            ("x \"\"", "EmptyPhrase"),
            ("x \"&\"", "EmptyPhrase"),
            ("x from: y", "EmptyOperator(\"from:\")"),
            ("x has:photo", "UnknownProperty"),
            ("x has:", "UnknownProperty"),
        ] {
            assert_eq!(shown(query), terms, "{query}");
        }
        assert_eq!(shown(&"a ".repeat(33)), "TooManyWords");
        assert_eq!(shown(&format!("a -\"{}\"", "a ".repeat(32))), "TooManyWords");
        assert_eq!(shown(&"é".repeat(65)), "LongWord");
        assert_eq!(shown(&"é".repeat(64)), format!("{}*", "é".repeat(64)));
    }

    proptest! {
        #[test]
        fn arbitrary_query_is_parsed_or_refused(query in "[-a:\" fromhasσς月é&]{0,60}|.{0,80}") {
            if let Ok(parsed) = WordQuery::parse(&query) {
                let words = parsed.required.iter().chain(&parsed.excluded).flat_map(|term| &term.words);
                prop_assert!(words.clone().count() <= MAX_WORDS && !parsed.required.is_empty());
                prop_assert!(words.clone().all(|word| word.chars().count() <= MAX_WORD_CHARS && word.chars().all(is_word)));
            }
        }
    }
}
