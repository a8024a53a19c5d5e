//! Letters that look alike (Unicode UTS 39, section 4), as far as names and domains of mail use them.

/// Returns the text with each letter replaced by a prototype of its looks, in lower case. Texts that look alike have
/// equal skeletons.
pub(super) fn skeleton(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match prototype(c) {
            Prototype::Letters(letters) => out.push_str(letters),
            Prototype::Same => out.push(c),
            Prototype::Invisible => {}
        }
    }
    // Pairs that look like one letter in most fonts.
    out.replace("rn", "m").replace("vv", "w")
}

enum Prototype {
    Letters(&'static str),
    Same,
    Invisible,
}

fn prototype(c: char) -> Prototype {
    let letters = match c {
        'a'..='h' | 'j'..='z' | '2'..='9' | '.' | '-' | ' ' => return Prototype::Same,
        // One group in many fonts: i, l, 1, vertical bars.
        'i'
        | '1'
        | '|'
        | 'ı'
        | 'ì'..='ï'
        | 'ĩ'
        | 'ī'
        | 'ĭ'
        | 'į'
        | 'ľ'
        | 'ĺ'
        | 'ł'
        | 'ļ'
        | 'і'
        | 'ї'
        | 'ι'
        | 'ί'
        | 'ӏ'
        | 'ǀ'
        | 'ו'
        | 'ן' => "l",
        '0' | 'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'о' | 'ο' | 'ό' | 'օ' | 'ס' | '०' => "o",
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'а' | 'α' | 'ά' | 'ɑ' => "a",
        'æ' => "ae",
        'œ' => "oe",
        'ß' => "ss",
        'ƅ' | 'ь' | 'в' => "b",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' | 'с' | 'ϲ' => "c",
        'ď' | 'đ' | 'ð' | 'ԁ' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'е' | 'ё' | 'є' | 'ε' => "e",
        'ƒ' => "f",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' | 'ɡ' | 'ց' => "g",
        'ĥ' | 'ħ' | 'һ' | 'հ' | 'н' => "h",
        'ĵ' | 'ј' | 'ϳ' => "j",
        'ķ' | 'к' | 'κ' => "k",
        'м' => "m",
        'ñ' | 'ń' | 'ņ' | 'ň' | 'ո' | 'η' => "n",
        'þ' | 'р' | 'ρ' => "p",
        'ԛ' | 'գ' => "q",
        'ŕ' | 'ŗ' | 'ř' | 'г' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' | 'ѕ' => "s",
        'ţ' | 'ť' | 'ŧ' | 'ț' | 'т' | 'τ' => "t",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'υ' | 'ս' | 'µ' | 'μ' => "u",
        'ν' | 'ѵ' => "v",
        'ŵ' | 'ԝ' | 'ω' | 'ѡ' => "w",
        'х' | 'χ' => "x",
        'ý' | 'ÿ' | 'ŷ' | 'у' | 'ү' | 'γ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        '‐'..='―' | '−' => "-",
        '․' | '。' | '．' => ".",
        c if is_invisible(c) => return Prototype::Invisible,
        c => return full_width(c),
    };
    Prototype::Letters(letters)
}

/// Maps full-width letters and digits to ASCII.
fn full_width(c: char) -> Prototype {
    const LETTERS: [&str; 26] = [
        "a", "b", "c", "d", "e", "f", "g", "h", "l", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v",
        "w", "x", "y", "z",
    ];
    const DIGITS: [&str; 10] = ["o", "l", "2", "3", "4", "5", "6", "7", "8", "9"];
    let at = |first: char| usize::try_from(u32::from(c).wrapping_sub(u32::from(first))).unwrap_or(usize::MAX);
    let found = LETTERS.get(at('ａ')).or_else(|| DIGITS.get(at('０')));
    found.map_or(Prototype::Same, |letters| Prototype::Letters(letters))
}

/// Returns true for combining accents and characters without a glyph.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}')
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
            ("anna", "an\u{200b}na"),
            ("anna", "a\u{301}nna"),
        ] {
            assert_eq!(skeleton(one), skeleton(other), "{one} {other}");
        }
        for (one, other) in [("paypal", "paypals"), ("weber", "leber"), ("anna", "hanna")] {
            assert_ne!(skeleton(one), skeleton(other), "{one} {other}");
        }
    }
}
