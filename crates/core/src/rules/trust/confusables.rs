//! Letters that look alike (Unicode UTS 39, section 4) in names and domains.

use std::borrow::Cow;

use icu_normalizer::DecomposingNormalizerBorrowed;
use inboxd_mail::latin_lookalike;

/// Returns the text as it reads: forms of one letter (full width, bold, in a circle) as the letter (NFKD), without accents
/// and characters without a glyph.
pub(crate) fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let letters: Vec<char> = decomposed.chars().filter(|c| !is_invisible(*c)).collect();
    // Greek capitals look like Latin ones, and their small letters do not.
    let imitates_latin = letters.iter().any(|c| latin_capital(*c).is_some())
        && letters.iter().all(|c| !matches!(c, '\u{370}'..='\u{3ff}') || latin_capital(*c).is_some());
    let look = |c: char| if imitates_latin { latin_capital(c).unwrap_or(c) } else { c };
    Cow::Owned(letters.into_iter().map(look).collect())
}

/// Returns the Latin capital that a Greek one looks like.
fn latin_capital(c: char) -> Option<char> {
    latin_lookalike(c).filter(char::is_ascii_uppercase)
}

/// Returns the text with each letter replaced by a prototype of its looks, in lower case. Texts that look alike have
/// equal skeletons.
pub(super) fn skeleton(text: &str) -> String {
    let text = folded(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match prototype(c) {
            Prototype::Letter(letter) => out.push(letter),
            Prototype::Letters(letters) => out.push_str(letters),
            Prototype::Invisible => {}
        }
    }
    // Pairs that look like one letter in most fonts.
    out.replace("rn", "m").replace("vv", "w")
}

/// Returns a number that is equal for all folded texts whose skeletons have the same letters, in any order.
pub(super) fn letter_sum(text: impl Iterator<Item = char>) -> u64 {
    text.flat_map(char::to_lowercase).map(weight_of_looks).fold(0, u64::wrapping_add)
}

fn weight_of_looks(c: char) -> u64 {
    match prototype(c) {
        Prototype::Letter(letter) => weight(letter),
        Prototype::Letters(letters) => letters.chars().map(weight).fold(0, u64::wrapping_add),
        Prototype::Invisible => 0,
    }
}

/// Returns an arbitrary number of a letter. Letters that look like two have the sum of both.
fn weight(c: char) -> u64 {
    match c {
        'm' => weight('r').wrapping_add(weight('n')),
        'w' => weight('v').wrapping_mul(2),
        // The form at the end of words.
        'ς' => weight('σ'),
        c => (u64::from(c) + 1).wrapping_pow(7),
    }
}

enum Prototype {
    Letter(char),
    Letters(&'static str),
    Invisible,
}

/// Returns the prototype of a lower-case character. Unlike in words of a text, digits and Latin letters with accents stand
/// for others in names and domains.
fn prototype(c: char) -> Prototype {
    let c = latin_lookalike(c).unwrap_or(c);
    if matches!(c, 'a'..='h' | 'j'..='z' | '2'..='9' | '.' | '-' | ' ') {
        return Prototype::Letter(c);
    }
    let letter = match c {
        // One group in many fonts: i, l, 1, vertical bars.
        'i' | '1' | '|' | 'ı' | 'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ľ' | 'ĺ' | 'ł' | 'ļ' | 'ǀ' => 'l',
        '0' | 'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | '०' => 'o',
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'æ' => return Prototype::Letters("ae"),
        'œ' => return Prototype::Letters("oe"),
        'ß' => return Prototype::Letters("ss"),
        'ƅ' => 'b',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' | 'ð' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ƒ' => 'f',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ĥ' | 'ħ' => 'h',
        'ĵ' => 'j',
        'ķ' => 'k',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'þ' => 'p',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ŧ' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'µ' => 'u',
        'ŵ' => 'w',
        'ý' | 'ÿ' | 'ŷ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        '‐'..='―' | '−' => '-',
        '․' | '。' | '．' => '.',
        c if is_invisible(c) => return Prototype::Invisible,
        c => c,
    };
    Prototype::Letter(letter)
}

/// Returns true for combining accents and characters without a glyph.
pub(super) fn is_invisible(c: char) -> bool {
    is_accent(c)
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns true for an accent that combines with the letter before it.
pub(super) fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_alike_have_equal_skeletons() {
        for (one, other) in [
            ("paypal", "раураl"),
            ("paypal", "PayPaI"),
            ("paypal", "paypa1"),
            ("google", "g00gle"),
            ("muller", "müller"),
            ("modern", "modem"),
            ("wave", "vvave"),
            ("apple", "аррӏе"),
            ("anna", "ａｎｎａ"),
            ("anna", "𝓐𝓷𝓷𝓪"),
            ("anna", "ⓐⓝⓝⓐ"),
            ("anna", "ᴀɴɴᴀ"),
            ("anna", "ΑΝΝΑ"),
            ("fischer", "ﬁscher"),
            ("anna", "an\u{200b}na"),
            ("anna", "a\u{301}nna"),
            ("anna", "aппa"),
            ("bank", "βank"),
        ] {
            assert_eq!(skeleton(one), skeleton(other), "{one} {other}");
        }
        for (one, other) in [("paypal", "paypals"), ("weber", "leber"), ("anna", "hanna")] {
            assert_ne!(skeleton(one), skeleton(other), "{one} {other}");
        }
    }
}
