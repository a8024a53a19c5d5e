//! Estimate of the tokens that a language model counts for a text.

/// Quarters of a token: for a run of Latin letters one token per started `LATIN_LETTERS`, and so on.
const LATIN_LETTERS: u64 = 5;
const DIGITS: u64 = 3;
const OTHER_LETTERS: u64 = 4;
const TOKEN: u64 = 4;
const IDEOGRAPH: u64 = 3;
const SIGN: u64 = 3;
const LINE_BREAK: u64 = 2;

/// Kind of a character for the estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenClass {
    /// Latin letters up to U+024F.
    Latin,
    Digit,
    /// Letters and marks of other alphabets, up to U+2E7F.
    Other,
    /// Chinese characters, kana, hangul, emoji and everything from U+2E80 on.
    Ideograph,
    /// Punctuation and symbols.
    Sign,
    Space,
}

impl TokenClass {
    fn of(character: char) -> Self {
        match character {
            _ if character.is_whitespace() => Self::Space,
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => Self::Latin,
            '0'..='9' => Self::Digit,
            '\u{0}'..='\u{bf}' | '\u{2000}'..='\u{206f}' => Self::Sign,
            '\u{250}'..='\u{2e7f}' => Self::Other,
            _ => Self::Ideograph,
        }
    }

    /// Returns the quarters of a token of a run.
    fn quarters(self, run: u64) -> u64 {
        match self {
            Self::Latin => run.div_ceil(LATIN_LETTERS) * TOKEN,
            Self::Digit => run.div_ceil(DIGITS) * TOKEN,
            Self::Other => run.div_ceil(OTHER_LETTERS) * TOKEN,
            Self::Ideograph => run * IDEOGRAPH,
            Self::Sign => run * SIGN,
            Self::Space => 0,
        }
    }
}

/// Estimates the tokens of a text, in one pass.
///
/// A run of Latin letters has one token per started 5 letters, and one more for each letter outside ASCII. A run of digits
/// has one per started 3, of letters of other alphabets one per started 4. Each ideograph and each sign counts three
/// quarters, and a line break half a token.
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    let mut quarters = 0;
    let (mut class, mut run) = (TokenClass::Space, 0);
    for character in text.chars() {
        let next = TokenClass::of(character);
        if next != class {
            quarters += class.quarters(run);
            (class, run) = (next, 0);
        }
        run += 1;
        quarters += match class {
            TokenClass::Latin if !character.is_ascii() => TOKEN,
            TokenClass::Space if character == '\n' => LINE_BREAK,
            _ => 0,
        };
    }
    (quarters + class.quarters(run)).div_ceil(TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_by_runs() {
        for (text, tokens) in [
            ("", 0),
            ("   ", 0),
            ("Hello", 1),
            ("Hello there", 2),
            ("invoices", 2),
            ("Grüße", 3),
            ("1234", 2),
            ("Привет", 2),
            ("你好世界", 3),
            ("a.b\n", 4),
        ] {
            assert_eq!(estimate_tokens(text), tokens, "{text:?}");
        }
    }
}
