//! Decoder of character references (WHATWG HTML, section 13.2.5.72 and following).

use std::borrow::Cow;

use mail_parser::decoders::html::add_html_token;

/// Maximum length of the name of a character reference in bytes.
const MAX_REFERENCE_NAME_BYTES: usize = 31;
/// Lengths of the names in [`UNTERMINATED`].
const UNTERMINATED_LENGTHS: std::ops::RangeInclusive<usize> = 2..=6;

/// Names that need no semicolon, in alphabetical order.
const UNTERMINATED: [&str; 106] = [
    "AElig", "AMP", "Aacute", "Acirc", "Agrave", "Aring", "Atilde", "Auml", "COPY", "Ccedil", "ETH", "Eacute", "Ecirc",
    "Egrave", "Euml", "GT", "Iacute", "Icirc", "Igrave", "Iuml", "LT", "Ntilde", "Oacute", "Ocirc", "Ograve", "Oslash",
    "Otilde", "Ouml", "QUOT", "REG", "THORN", "Uacute", "Ucirc", "Ugrave", "Uuml", "Yacute", "aacute", "acirc",
    "acute", "aelig", "agrave", "amp", "aring", "atilde", "auml", "brvbar", "ccedil", "cedil", "cent", "copy",
    "curren", "deg", "divide", "eacute", "ecirc", "egrave", "eth", "euml", "frac12", "frac14", "frac34", "gt",
    "iacute", "icirc", "iexcl", "igrave", "iquest", "iuml", "laquo", "lt", "macr", "micro", "middot", "nbsp", "not",
    "ntilde", "oacute", "ocirc", "ograve", "ordf", "ordm", "oslash", "otilde", "ouml", "para", "plusmn", "pound",
    "quot", "raquo", "reg", "sect", "shy", "sup1", "sup2", "sup3", "szlig", "thorn", "times", "uacute", "ucirc",
    "ugrave", "uml", "uuml", "yacute", "yen", "yuml",
];
/// Characters of these names.
const UNTERMINATED_CHARACTERS: [char; 106] = [
    'Æ', '&', 'Á', 'Â', 'À', 'Å', 'Ã', 'Ä', '©', 'Ç', 'Ð', 'É', 'Ê', 'È', 'Ë', '>', 'Í', 'Î', 'Ì', 'Ï', '<', 'Ñ', 'Ó',
    'Ô', 'Ò', 'Ø', 'Õ', 'Ö', '"', '®', 'Þ', 'Ú', 'Û', 'Ù', 'Ü', 'Ý', 'á', 'â', '´', 'æ', 'à', '&', 'å', 'ã', 'ä', '¦',
    'ç', '¸', '¢', '©', '¤', '°', '÷', 'é', 'ê', 'è', 'ð', 'ë', '½', '¼', '¾', '>', 'í', 'î', '¡', 'ì', '¿', 'ï', '«',
    '<', '¯', 'µ', '·', '\u{a0}', '¬', 'ñ', 'ó', 'ô', 'ò', 'ª', 'º', 'ø', 'õ', 'ö', '¶', '±', '£', '"', '»', '®', '§',
    '\u{ad}', '¹', '²', '³', 'ß', 'þ', '×', 'ú', 'û', 'ù', '¨', 'ü', 'ý', '¥', 'ÿ',
];

/// Characters for the numbers 128 to 159, which authors write as windows-1252.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Replaces the character references of a text; no-break spaces become plain spaces, and NUL is removed.
#[must_use]
pub fn references(text: &str) -> Cow<'_, str> {
    replaced(text, false)
}

/// Replaces the character references of an attribute value, where `&copy=1` is part of a URL.
pub(crate) fn attribute_references(value: &str) -> Cow<'_, str> {
    replaced(value, true)
}

fn replaced(text: &str, is_attribute: bool) -> Cow<'_, str> {
    // The second byte sought is the first of a no-break space.
    if memchr::memchr3(b'&', 0xc2, 0, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut names = ReferenceDecoder::default();
    let mut rest = text;
    while let Some(at) = rest.find(['&', '\u{a0}', '\0']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let behind = found.strip_prefix('&');
        let reference = behind.and_then(|behind| {
            let (sign, used) = number(behind).or_else(|| names.read(found, is_attribute))?;
            out.push(if sign == '\u{a0}' { ' ' } else { sign });
            behind.get(used..)
        });
        rest = match (reference, behind) {
            (Some(rest), _) => rest,
            (None, Some(behind)) => {
                out.push('&');
                behind
            }
            (None, None) if found.starts_with('\0') => found.get(1..).unwrap_or_default(),
            (None, None) => {
                out.push(' ');
                found.get('\u{a0}'.len_utf8()..).unwrap_or_default()
            }
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the character of `#…` and the length of the reference.
fn number(behind: &str) -> Option<(char, usize)> {
    let digits = behind.strip_prefix('#')?;
    let (digits, radix) = digits.strip_prefix(['x', 'X']).map_or((digits, 10), |digits| (digits, 16));
    let count = digits.bytes().take_while(|b| char::from(*b).is_digit(radix)).count();
    let value = digits.get(..count).filter(|digits| !digits.is_empty())?;
    let is_ended = digits.as_bytes().get(count) == Some(&b';');
    let used = behind.len() - digits.len() + count + usize::from(is_ended);
    let number = u32::from_str_radix(value, radix).unwrap_or(u32::MAX);
    let meant = number.checked_sub(128).and_then(|at| WINDOWS_1252.get(usize::try_from(at).ok()?)).copied();
    let sign = meant.or_else(|| char::from_u32(number)).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER);
    Some((sign, used))
}

/// Decoder of named references. One `String` serves all, since a message may consist of references alone.
#[derive(Default)]
struct ReferenceDecoder(String);

impl ReferenceDecoder {
    /// Returns the character of the name after the `&` of `found`, and the length of the reference without the `&`.
    fn read(&mut self, found: &str, is_attribute: bool) -> Option<(char, usize)> {
        let bytes = found.as_bytes().get(1..)?;
        let count = bytes.iter().take(MAX_REFERENCE_NAME_BYTES + 1).take_while(|b| b.is_ascii_alphanumeric()).count();
        if bytes.get(count) == Some(&b';')
            && let Some(sign) = self.terminated(found.get(..count + 2)?)
        {
            return Some((sign, count + 1));
        }
        let start = |length| Some((unterminated(bytes.get(..length)?)?, length));
        let (sign, length) = UNTERMINATED_LENGTHS.rev().filter(|length| *length <= count).find_map(start)?;
        let goes_on = bytes.get(length).is_some_and(|b| *b == b'=' || b.is_ascii_alphanumeric());
        (!is_attribute || !goes_on).then_some((sign, length))
    }

    /// Returns the character of a complete reference, `&name;`.
    fn terminated(&mut self, reference: &str) -> Option<char> {
        self.0.clear();
        add_html_token(&mut self.0, reference.as_bytes(), false);
        let mut signs = self.0.chars();
        // An unknown reference comes back unchanged.
        signs.next().filter(|_| signs.next().is_none())
    }
}

/// Returns the character of a name that needs no semicolon.
fn unterminated(name: &[u8]) -> Option<char> {
    let at = UNTERMINATED.binary_search_by(|known| known.as_bytes().cmp(name)).ok()?;
    UNTERMINATED_CHARACTERS.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn character_references_are_replaced() {
        for (text, expected) in [
            ("&amp;&lt;&gt;&quot;&apos;&euro;&hellip;&mdash;&zwnj;", "&<>\"'€…—\u{200c}"),
            ("&eacute;&Eacute;&CounterClockwiseContourIntegral;", "éÉ∳"),
            ("caf&eacute au lait &copy2026 AT&T &ampamp", "café au lait ©2026 AT&T &amp"),
            ("&notit; &notin;", "¬it; ∉"),
            ("&#233;&#xE9;&#Xe9;&#233 &#xe9.", "ééé\u{e9} é."),
            ("&#128;&#146;&#x96;&#153;", "€’–™"),
            ("&#0;&#xD800;&#1114112;&#99999999999999999999;", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
            ("a&nbsp;b&#160;c\u{a0}d&nbsp", "a b c d "),
            ("&;&#;&#x;&bogus;& &&amp;", "&;&#;&#x;&bogus;& &&"),
            ("x\0y é £", "xy é £"),
        ] {
            assert_eq!(references(text), expected, "{text:?}");
        }
        assert_eq!(attribute_references("?a=1&copy=2&amp;reg&lt;&ltx&gt"), "?a=1&copy=2&reg<&ltx>");
    }

    #[test]
    fn every_unterminated_name_is_known() {
        assert!(UNTERMINATED.is_sorted());
        for (name, sign) in UNTERMINATED.into_iter().zip(UNTERMINATED_CHARACTERS) {
            assert_eq!(ReferenceDecoder::default().terminated(&format!("&{name};")), Some(sign), "{name}");
            assert!(UNTERMINATED_LENGTHS.contains(&name.len()), "{name}");
        }
    }
}
