//! Secrets, received codes and links in outgoing text.
//!
//! Precision comes first: a key counts by the prefix of its issuer and its length, a card number by its issuer, its
//! length and the Luhn digit.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::model::string_enum::string_enum;
use crate::rules::trust::folded;

string_enum! {
    /// Kind of a secret.
    SecretKind {
        /// A private key in PEM.
        PrivateKey = "private key",
        /// A key or token of a service, by the prefix of its issuer.
        AccessKey = "access key",
        /// A signed token (RFC 7519).
        SignedToken = "signed token",
        /// The number of a payment card.
        CardNumber = "card number",
    }
}

/// Prefixes of keys, with the minimum of characters after them.
const KEY_PREFIXES: [(&str, usize); 27] = [
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 35),
    ("am_", 40),
    ("ghp_", 36),
    ("gho_", 36),
    ("ghu_", 36),
    ("ghs_", 36),
    ("ghr_", 36),
    ("github_pat_", 40),
    ("glpat-", 20),
    ("hf_", 30),
    ("npm_", 36),
    ("pypi-", 40),
    ("rk_live_", 20),
    ("sk_live_", 20),
    ("sk_test_", 20),
    ("whsec_", 24),
    ("sk-", 32),
    ("SG.", 50),
    ("dop_v1_", 60),
    ("xoxa-", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xoxr-", 20),
    ("xoxs-", 20),
    ("ya29.", 40),
];
/// Digits of the shortest and of the longest card number.
const CARD_DIGITS: std::ops::RangeInclusive<usize> = 13..=19;
/// Maximum length of a piece of a code that is written in pieces.
const MAX_PIECE_CHARS: usize = 5;
/// Characters that may stand between the pieces of a code or a card number.
const SEPARATORS: [char; 8] = [' ', '-', '.', ',', '\u{a0}', '\u{2010}', '\u{2011}', '\u{2013}'];

/// Returns the kind of the first secret in a text, also if it is written with characters that look the same or have no
/// glyph.
#[must_use]
pub fn find_secret(text: &str) -> Option<SecretKind> {
    find_plain_secret(text).or_else(|| match folded(text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(plain) => find_plain_secret(&plain),
    })
}

fn find_plain_secret(text: &str) -> Option<SecretKind> {
    if text.contains("PRIVATE KEY-----") && text.contains("-----BEGIN ") {
        return Some(SecretKind::PrivateKey);
    }
    let is_key_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    for word in text.split(|c: char| !is_key_char(c)).filter(|word| word.len() >= 19) {
        if contains_access_key(word) {
            return Some(SecretKind::AccessKey);
        }
        if is_signed_token(word) {
            return Some(SecretKind::SignedToken);
        }
    }
    contains_card_number(text).then_some(SecretKind::CardNumber)
}

/// Returns whether a word contains a prefix of keys and goes on like one: long, with digits. A short prefix, or one of
/// letters alone, begins the word or a part of it.
fn contains_access_key(word: &str) -> bool {
    KEY_PREFIXES.iter().any(|(prefix, least)| {
        let is_distinctive = prefix.len() > 3 && prefix.contains(['_', '-', '.']);
        word.match_indices(prefix).any(|(start, _)| {
            let before = word.get(..start).unwrap_or_default();
            let begins_part = !before.ends_with(|c: char| c.is_alphanumeric());
            let rest = word.get(start + prefix.len()..).unwrap_or_default();
            (begins_part || is_distinctive) && rest.len() >= *least && rest.bytes().any(|byte| byte.is_ascii_digit())
        })
    })
}

/// Returns whether a word is a JSON Web Token with a signature: both objects begin with `{"` in base64.
fn is_signed_token(word: &str) -> bool {
    let mut parts = word.split('.');
    let is_object = |part: Option<&str>| part.is_some_and(|part| part.starts_with("eyJ") && part.len() >= 12);
    is_object(parts.next()) && is_object(parts.next()) && parts.next().is_some_and(|signature| signature.len() >= 20)
}

/// Returns whether groups of digits that stand together are the number of a card, whatever groups are before and behind
/// them: an expiry date, a check value.
fn contains_card_number(text: &str) -> bool {
    let mut run: Vec<u8> = Vec::new();
    // Beginnings of the groups in the run. A group in the middle of a word or of a decimal begins no card number.
    let mut starts: Vec<usize> = Vec::new();
    let mut previous = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if let Some(digit) = c.to_digit(10) {
            let is_inside_word = previous.is_alphanumeric() || matches!(previous, '_' | '=' | '/' | '#');
            if !previous.is_ascii_digit() && (!run.is_empty() || !is_inside_word) {
                starts.push(run.len());
            }
            run.push(u8::try_from(digit).unwrap_or(0));
        } else {
            if !c.is_alphanumeric() && ends_with_card(&run, &starts) {
                return true;
            }
            let goes_on = SEPARATORS.contains(&c) && chars.peek().is_some_and(char::is_ascii_digit);
            if !(goes_on && previous.is_ascii_digit()) {
                run.clear();
                starts.clear();
            }
        }
        previous = c;
    }
    ends_with_card(&run, &starts)
}

fn ends_with_card(run: &[u8], starts: &[usize]) -> bool {
    let last = starts.iter().rev().take(*CARD_DIGITS.end());
    last.filter_map(|start| run.get(*start..)).any(is_card_number)
}

/// Returns whether digits are the number of a card: of an issuer, in its length, with the Luhn digit (ISO/IEC 7812).
fn is_card_number(digits: &[u8]) -> bool {
    if !CARD_DIGITS.contains(&digits.len()) {
        return false;
    }
    let head = |count: usize| digits.iter().take(count).fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit));
    let fits = match digits.len() {
        13 => head(1) == 4,
        14 => matches!(head(2), 36 | 38 | 39) || matches!(head(3), 300..=305),
        15 => matches!(head(2), 34 | 37),
        16 => {
            head(1) == 4
                || matches!(head(2), 51..=55 | 62 | 65)
                || matches!(head(3), 644..=649)
                || matches!(head(4), 2221..=2720 | 6011 | 3528..=3589)
        }
        19 => head(1) == 4 || head(2) == 62,
        _ => head(2) == 62,
    };
    fits && luhn_sum(digits).is_multiple_of(10)
}

fn luhn_sum(digits: &[u8]) -> u32 {
    let weighed = digits.iter().rev().enumerate().map(|(place, digit)| {
        let digit = u32::from(*digit);
        match place % 2 {
            1 if digit > 4 => digit * 2 - 9,
            1 => digit * 2,
            _ => digit,
        }
    });
    weighed.sum()
}

/// Everything in a text that may be a code.
#[derive(Debug)]
pub struct WrittenCodes {
    words: BTreeSet<String>,
    /// Short pieces between separators, as one word each.
    joined: Vec<String>,
}

impl WrittenCodes {
    /// Reads a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut found = Self { words: BTreeSet::new(), joined: Vec::new() };
        let (mut run, mut pieces) = (String::new(), 0);
        for line in folded(text).split(|c: char| !c.is_alphanumeric() && !SEPARATORS.contains(&c)) {
            for word in line.split(|c: char| SEPARATORS.contains(&c)).filter(|word| !word.is_empty()) {
                found.words.insert(normalized_code(word));
                if word.chars().count() <= MAX_PIECE_CHARS {
                    run.push_str(&normalized_code(word));
                    pieces += 1;
                    continue;
                }
                keep_run(&mut run, &mut pieces, &mut found.joined);
            }
            keep_run(&mut run, &mut pieces, &mut found.joined);
        }
        found
    }

    /// Returns whether the text contains a code, as a word or in pieces.
    #[must_use]
    pub fn contain(&self, code: &str) -> bool {
        let code = normalized_code(code);
        !code.is_empty() && (self.words.contains(&code) || self.joined.iter().any(|run| run.contains(&code)))
    }
}

/// Returns a code in upper case without separators.
fn normalized_code(code: &str) -> String {
    code.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

fn keep_run(run: &mut String, pieces: &mut usize, joined: &mut Vec<String>) {
    let run = std::mem::take(run);
    if std::mem::take(pieces) > 1 && run.contains(|c: char| c.is_ascii_digit()) {
        joined.push(run);
    }
}

/// Returns whether a text contains a link: a URL, or the name of a host with a path, which programs make a link.
#[must_use]
pub fn contains_link(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["http://", "https://", "www."].iter().any(|begin| text.contains(begin))
        || text.split(|c: char| c.is_whitespace() || "<>()[]\"',;".contains(c)).any(is_host_with_path)
}

fn is_host_with_path(word: &str) -> bool {
    let Some((host, _)) = word.split_once('/') else { return false };
    let Some((names, top)) = host.split(':').next().and_then(|host| host.rsplit_once('.')) else { return false };
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-');
    names.split('.').all(is_name) && top.chars().count() >= 2 && top.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_by_their_form() {
        let hex = "0123456789abcdef0123456789abcdef01234567";
        for (text, expected) in [
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----".to_owned(), SecretKind::PrivateKey),
            ("-----BEGIN OPENSSH PRIVATE KEY-----".to_owned(), SecretKind::PrivateKey),
            ("the key is AKIAIOSFODNN7EXAMPLE.".replace("EXAMPLE.", "EXAMPLE now"), SecretKind::AccessKey),
            (format!("token=ghp_{hex}"), SecretKind::AccessKey),
            (format!("<b>am_{hex}ab</b>"), SecretKind::AccessKey),
            (format!("?key=sk-proj-{hex}"), SecretKind::AccessKey),
            (format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{hex}"), SecretKind::SignedToken),
            ("4111 1111 1111 1111".to_owned(), SecretKind::CardNumber),
            ("card: 4111-1111-1111-1111, thanks".to_owned(), SecretKind::CardNumber),
            ("378282246310005".to_owned(), SecretKind::CardNumber),
            ("pay with 5555555555554444.".to_owned(), SecretKind::CardNumber),
            ("4111 1111 1111 1111 12/29".to_owned(), SecretKind::CardNumber),
            ("4111 1111 1111 1111 123".to_owned(), SecretKind::CardNumber),
            ("7 4111 1111 1111 1111".to_owned(), SecretKind::CardNumber),
            ("4111 1111\u{200b} 1111 1111".to_owned(), SecretKind::CardNumber),
            (format!("xghp_{hex}"), SecretKind::AccessKey),
            (format!("key-am_{hex}ab"), SecretKind::AccessKey),
            (format!("gh\u{200d}p_{hex}"), SecretKind::AccessKey),
            (format!("ｇｈｐ＿{hex}"), SecretKind::AccessKey),
        ] {
            assert_eq!(find_secret(&text), Some(expected), "{text}");
        }
    }

    #[test]
    fn ordinary_text_has_no_secret() {
        for text in [
            "Order 4111 1111 1111 1112 ships today",
            "Call +49 30 901820 or 0049-30-901820-1234",
            "IBAN DE89 3704 0044 0532 0130 00",
            "id4111111111111111",
            "https://example.org/4111111111111111x",
            "-----BEGIN PUBLIC KEY-----",
            "-----BEGIN CERTIFICATE-----",
            "sk-learn and sk-ip are short",
            "task-0123456789abcdef0123456789abcdef01234567",
            "am_i_a_key_or_only_a_sentence_without_any_numbers_in_it",
            "AKIA is a prefix",
            "0000 0000 0000 0000",
            "1234567890123",
            "",
        ] {
            assert_eq!(find_secret(text), None, "{text}");
        }
    }

    #[test]
    fn codes_are_found_as_words_and_in_pieces() {
        for (text, code, is_found) in [
            ("the code is 482913.", "482913", true),
            ("482 913", "482913", true),
            ("482-913", "482913", true),
            ("4 8 2 9 1 3", "482913", true),
            ("48291-3", "482913", true),
            ("482,913", "482913", true),
            ("４８２９１３", "482913", true),
            ("it is ab-12cd", "AB12CD", true),
            ("482913", "482-913", true),
            ("order 14829130", "482913", false),
            ("4829", "482913", false),
            ("", "482913", false),
            ("no codes", "", false),
        ] {
            assert_eq!(WrittenCodes::of(text).contain(code), is_found, "{text} {code}");
        }
    }

    #[test]
    fn links_are_found_in_any_letter_case() {
        for (text, expected) in [
            ("see HTTPS://a.example", true),
            ("www.example.org", true),
            ("Log in at bank.example/login, please", true),
            ("(Bank.Example:8443/)", true),
            ("a.example", false),
            ("and/or, e.g./i.e., 3.5/4, 10.12.2026/11, ../src/lib.rs, src/lib.rs", false),
            ("", false),
        ] {
            assert_eq!(contains_link(text), expected, "{text}");
        }
    }
}
