//! Letters of other scripts that look like Latin ones (Unicode UTS 39, section 4).

/// Returns the Latin letter that a letter of another script looks like, in the same case.
///
/// The table has small letters of Cyrillic, Greek, Armenian and Hebrew, Greek capitals, which look unlike their small forms,
/// small capitals and phonetic letters. It has no Latin letters with accents, which languages use beside plain ones, and
/// no digits: both look like other letters in names and domains only.
#[must_use]
pub fn latin_lookalike(c: char) -> Option<char> {
    if c.is_ascii() {
        return None;
    }
    Some(match c {
        'а' | 'α' | 'ά' | 'ɑ' | 'ᴀ' => 'a',
        'в' | 'β' | 'ь' | 'ʙ' => 'b',
        'с' | 'ϲ' | 'ᴄ' => 'c',
        'ԁ' | 'ᴅ' => 'd',
        'е' | 'ё' | 'є' | 'ε' | 'ᴇ' => 'e',
        'ꜰ' => 'f',
        'ɡ' | 'ց' | 'ɢ' => 'g',
        'һ' | 'н' | 'հ' | 'ʜ' => 'h',
        'і' | 'ї' | 'ι' | 'ί' | 'ɪ' => 'i',
        'ј' | 'ϳ' | 'ᴊ' => 'j',
        'к' | 'κ' | 'ᴋ' => 'k',
        'ӏ' | 'ו' | 'ן' | 'ʟ' => 'l',
        'м' | 'ᴍ' => 'm',
        'п' | 'η' | 'ո' | 'ɴ' => 'n',
        'о' | 'ο' | 'ό' | 'օ' | 'ס' | 'ᴏ' => 'o',
        'р' | 'ρ' | 'ᴘ' => 'p',
        'ԛ' | 'գ' => 'q',
        'г' | 'ʀ' => 'r',
        'ѕ' | 'ꜱ' => 's',
        'т' | 'τ' | 'ᴛ' => 't',
        'υ' | 'ս' | 'μ' | 'ᴜ' => 'u',
        'ѵ' | 'ν' | 'ᴠ' => 'v',
        'ԝ' | 'ω' | 'ѡ' | 'ᴡ' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'ү' | 'γ' | 'ʏ' => 'y',
        'ᴢ' => 'z',
        'Α' => 'A',
        'Β' => 'B',
        'Ε' => 'E',
        'Ζ' => 'Z',
        'Η' => 'H',
        'Ι' => 'I',
        'Κ' => 'K',
        'Μ' => 'M',
        'Ν' => 'N',
        'Ο' => 'O',
        'Ρ' => 'P',
        'Τ' => 'T',
        'Υ' => 'Y',
        'Χ' => 'X',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_other_scripts_look_latin() {
        for (letter, latin) in [
            ('а', Some('a')),
            ('ӏ', Some('l')),
            ('ո', Some('n')),
            ('ɴ', Some('n')),
            ('Η', Some('H')),
            ('η', Some('n')),
            ('a', None),
            ('0', None),
            ('é', None),
            ('ı', None),
            ('ж', None),
            ('字', None),
        ] {
            assert_eq!(latin_lookalike(letter), latin, "{letter}");
        }
    }
}
