//! Character encodings of simple fonts and glyph names (ISO 32000, section 9.6.5 and annex D).

use std::collections::HashMap;
use std::sync::LazyLock;

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};

/// Glyph names with their characters.
static GLYPH_NAMES: LazyLock<HashMap<&'static str, char>> = LazyLock::new(|| {
    let lines = include_str!("glyph_names.txt").lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once(' '));
    pairs.filter_map(|(name, code)| Some((name, char::from_u32(u32::from_str_radix(code, 16).ok()?)?))).collect()
});

/// Upper half of `StandardEncoding` from A0; spaces are unused codes.
const STANDARD_UPPER: &str =
    " ¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß    ";

/// A predefined encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BaseEncoding {
    Standard,
    MacRoman,
    WinAnsi,
}

impl BaseEncoding {
    /// Returns the encoding with a name of PDF.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"StandardEncoding" => Some(Self::Standard),
            b"MacRomanEncoding" => Some(Self::MacRoman),
            b"WinAnsiEncoding" => Some(Self::WinAnsi),
            _ => None,
        }
    }

    /// Returns the characters of all codes.
    pub(crate) fn characters(self) -> [Option<char>; 256] {
        match self {
            Self::MacRoman => decoded(MACINTOSH),
            Self::WinAnsi => decoded(WINDOWS_1252),
            Self::Standard => {
                let mut characters = decoded(WINDOWS_1252);
                let upper = STANDARD_UPPER.chars().map(|character| Some(character).filter(|shown| *shown != ' '));
                for (slot, character) in characters.iter_mut().skip(128).zip([None; 32].into_iter().chain(upper)) {
                    *slot = character;
                }
                for (slot, quote) in [(0x27, '’'), (0x60, '‘')] {
                    if let Some(slot) = characters.get_mut(slot) {
                        *slot = Some(quote);
                    }
                }
                characters
            }
        }
    }
}

fn decoded(encoding: &'static Encoding) -> [Option<char>; 256] {
    let mut characters = [None; 256];
    for (code, slot) in (0..=u8::MAX).zip(&mut characters).skip(32) {
        *slot = encoding.decode_without_bom_handling(&[code]).0.chars().next().filter(|shown| !shown.is_control());
    }
    characters
}

/// Returns the text of a glyph name, such as `eacute`, `uni20AC`, `f_i` or `a.alt`.
pub(crate) fn glyph_text(name: &str) -> Option<String> {
    let base = name.split('.').next().filter(|base| !base.is_empty())?;
    base.split('_').map(component).collect()
}

fn component(name: &str) -> Option<String> {
    if let Some(known) = GLYPH_NAMES.get(name) {
        return Some(known.to_string());
    }
    let hex = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    if let Some(digits) = name.strip_prefix("uni").filter(|digits| digits.len() >= 4 && digits.is_ascii()) {
        let units = digits.as_bytes().chunks_exact(4).filter_map(|unit| str::from_utf8(unit).ok());
        return units.map(hex).collect();
    }
    name.strip_prefix('u').filter(|digits| (4..=6).contains(&digits.len())).and_then(hex).map(String::from)
}

/// Writes ligatures as their letters, so that words can be found.
pub(crate) fn without_ligatures(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            'ﬀ' => plain.push_str("ff"),
            'ﬁ' => plain.push_str("fi"),
            'ﬂ' => plain.push_str("fl"),
            'ﬃ' => plain.push_str("ffi"),
            'ﬄ' => plain.push_str("ffl"),
            'ﬅ' | 'ﬆ' => plain.push_str("st"),
            '\u{a0}' => plain.push(' '),
            // A soft hyphen is where a word may break.
            '\u{ad}' => plain.push('-'),
            _ => plain.push(character),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_glyphs_are_text() {
        for (name, text) in [
            ("eacute", Some("é")),
            ("uni20AC", Some("€")),
            ("u1F600", Some("😀")),
            ("f_i", Some("fi")),
            ("a.alt", Some("a")),
            ("afii10017", Some("А")),
            ("g123", None),
            (".notdef", None),
        ] {
            assert_eq!(glyph_text(name).as_deref(), text, "{name}");
        }
        assert_eq!(without_ligatures("oﬃce"), "office");
    }

    #[test]
    fn encodings_have_their_characters() {
        let at = |encoding: BaseEncoding, code: usize| encoding.characters().get(code).copied().flatten();
        assert_eq!(at(BaseEncoding::WinAnsi, 0x80), Some('€'));
        assert_eq!(at(BaseEncoding::MacRoman, 0x80), Some('Ä'));
        assert_eq!(at(BaseEncoding::Standard, 0x27), Some('’'));
        assert_eq!(at(BaseEncoding::Standard, 0xae), Some('ﬁ'));
        assert_eq!(at(BaseEncoding::Standard, 0xfb), Some('ß'));
        assert_eq!(at(BaseEncoding::Standard, 0x80), None);
    }
}
