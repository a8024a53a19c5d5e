//! Secrets in outgoing text.
//!
//! Precision comes first: a key counts by the prefix of its issuer and its length, a card number by its issuer, its
//! length and the Luhn digit.

use std::borrow::Cow;

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
/// Digits of the groups of a card number that is written in groups.
const CARD_GROUPS: [&[usize]; 3] = [&[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4]];
/// Maximum of characters between two groups.
const MAX_GROUP_GAP: usize = 4;
/// Bytes of a key that are read, so that the time stays linear in the text.
const MAX_KEY_BYTES: usize = 400;
/// Characters of an access key of this service provider behind its prefix.
const AMAZON_KEY_CHARS: usize = 16;
/// Characters that may stand between the digits of a card number.
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
    let names_key = text.contains("PRIVATE KEY-----") || text.contains("PRIVATE KEY BLOCK-----");
    if names_key && text.contains("-----BEGIN ") {
        return Some(SecretKind::PrivateKey);
    }
    for word in text.split(|c: char| !is_key_char(c)).filter(|word| word.len() >= 19) {
        if contains_access_key(word) || word.split(['_', '-', '.']).any(is_lowered_amazon_key) {
            return Some(SecretKind::AccessKey);
        }
        if is_signed_token(word) {
            return Some(SecretKind::SignedToken);
        }
    }
    if contains_split_key(text) {
        return Some(SecretKind::AccessKey);
    }
    (contains_card_number(text) || contains_grouped_card(text)).then_some(SecretKind::CardNumber)
}

fn is_key_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
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
            let has_digit = || rest.bytes().take(MAX_KEY_BYTES).any(|byte| byte.is_ascii_digit());
            let begins = begins_part || is_distinctive || is_amazon_key(prefix, rest);
            begins && rest.len() >= *least && has_digit()
        })
    })
}

/// Returns whether the text behind a prefix has the fixed form of an access key of Amazon. It may stand inside a word.
fn is_amazon_key(prefix: &str, rest: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    matches!(prefix, "AKIA" | "ASIA") && rest.get(..AMAZON_KEY_CHARS).is_some_and(|key| key.bytes().all(is_sign))
}

/// Returns whether a word is an access key of Amazon in lower case: of the alphabet of base32, with a digit.
fn is_lowered_amazon_key(word: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(&byte);
    let key = word.strip_prefix("akia").or_else(|| word.strip_prefix("asia"));
    key.is_some_and(|key| {
        key.len() == AMAZON_KEY_CHARS && key.bytes().all(is_sign) && key.bytes().any(|byte| byte.is_ascii_digit())
    })
}

/// Returns whether a text has a key with spaces or line breaks in it: its beginning, then pieces that are no words.
fn contains_split_key(text: &str) -> bool {
    KEY_PREFIXES.iter().any(|(prefix, least)| {
        let needed = prefix.len() + least;
        text.match_indices(prefix).any(|(start, _)| {
            let before = text.get(..start).unwrap_or_default();
            let rest = text.get(start..).unwrap_or_default();
            let bytes = |limit: usize| rest.get(..rest.floor_char_boundary(limit)).unwrap_or_default();
            // A key without spaces is found as a word.
            if before.ends_with(|c: char| c.is_alphanumeric()) || !bytes(needed).contains(char::is_whitespace) {
                return false;
            }
            let mut pieces = bytes(MAX_KEY_BYTES).split_whitespace();
            let mut key = pieces.next().unwrap_or_default().to_owned();
            key.extend(pieces.take_while(|piece| is_key_piece(piece)));
            key.len() >= needed && key.chars().all(is_key_char) && key.bytes().any(|byte| byte.is_ascii_digit())
        })
    })
}

/// Returns whether a piece of text is part of a key and no word: with a digit, or with a capital behind its beginning.
fn is_key_piece(piece: &str) -> bool {
    let is_no_word = |c: char| c.is_ascii_digit() || c.is_ascii_uppercase();
    piece.len() >= 4 && piece.chars().all(is_key_char) && piece.chars().skip(1).any(is_no_word)
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

/// Returns whether a text has a card number in its usual groups, with anything between them. A column of numbers is none.
fn contains_grouped_card(text: &str) -> bool {
    let mut chain: Vec<&str> = Vec::new();
    let mut gap = 0;
    for piece in text.split(|c: char| !c.is_alphanumeric()) {
        gap += 1;
        if piece.is_empty() {
            continue;
        }
        let is_number = piece.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || gap > MAX_GROUP_GAP {
            if has_card_groups(&chain) {
                return true;
            }
            chain.clear();
        }
        chain.extend(is_number.then_some(piece));
        gap = 0;
    }
    has_card_groups(&chain)
}

fn has_card_groups(chain: &[&str]) -> bool {
    CARD_GROUPS.iter().any(|groups| {
        chain.windows(groups.len()).enumerate().any(|(start, window)| {
            let before = start.checked_sub(1).and_then(|at| chain.get(at));
            let after = chain.get(start + groups.len());
            let is_card = || is_card_number(&window.concat().bytes().map(|byte| byte - b'0').collect::<Vec<u8>>());
            window.iter().map(|group| group.len()).eq(groups.iter().copied())
                && before.into_iter().chain(after).all(|neighbour| neighbour.len() != 4)
                && is_card()
        })
    })
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
            ("-----BEGIN PGP PRIVATE KEY BLOCK-----".to_owned(), SecretKind::PrivateKey),
            ("AKIAIOSFOD\nNN7EXAMPL3".to_owned(), SecretKind::AccessKey),
            ("key=akiaiosfodnn7exampl3".to_owned(), SecretKind::AccessKey),
            ("AKIAIOSFOD NN7EXAMPL3".to_owned(), SecretKind::AccessKey),
            ("xAKIAIOSFODNN7EXAMPL3".to_owned(), SecretKind::AccessKey),
            ("4111  1111  1111  1111".to_owned(), SecretKind::CardNumber),
            ("4111/1111/1111/1111".to_owned(), SecretKind::CardNumber),
            ("4111_1111_1111_1111".to_owned(), SecretKind::CardNumber),
            ("card:\n4111\n1111\n1111\n1111\n12/29".to_owned(), SecretKind::CardNumber),
            ("3782 | 822463 | 10005".to_owned(), SecretKind::CardNumber),
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
            "asiapacificregionoffices2026",
            "asia-pacific-region-office2",
            "asiapacificregionals",
            "0000 0000 0000 0000",
            "2026\n4111\n1111\n1111\n1111",
            "sk-learn 1.2.3 needs Python and was released in 2007 by its authors",
            "x4111/1111/1111/1111",
            "1234567890123",
            "",
        ] {
            assert_eq!(find_secret(text), None, "{text}");
        }
    }
}
