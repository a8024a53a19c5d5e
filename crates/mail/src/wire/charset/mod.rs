//! Text from octets in whatever charset the sender named, or none, or wrongly.

mod dos;
mod escapes;
mod labels;
mod unicode;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use self::labels::MailCharset;

/// How many octets a guess is made from, and how many of them may stand before the first that is no ASCII.
const MAX_DETECTION_BYTES: usize = 8 * 1024;
const DETECTION_LEAD_BYTES: usize = 256;
/// How many characters beyond ASCII make it sure that a text is UTF-8 though it is said to be something else.
const MIN_UTF8_CHARS: usize = 4;
/// The same where the octets are text in what is named: of the pairs of octets of a common character one in five or so
/// is UTF-8 by accident.
const MIN_UTF8_CHARS_OF_PAIRS: usize = 8;

/// Decodes `bytes`, which `named` is said to describe.
pub(crate) fn decode(named: Option<&str>, bytes: &[u8]) -> String {
    decode_with(named, None, bytes)
}

/// Decodes `bytes`, which `named` is said to describe; `hint` names a charset that something near them has.
///
/// What is UTF-8 beyond doubt is read so whatever was named. Otherwise the name counts unless the octets belie it; then
/// the hint, if they can be read so without a fault; then the best guess of a detector. Octets that stay unreadable
/// become U+FFFD, each by itself.
pub(crate) fn decode_with(named: Option<&str>, hint: Option<&str>, bytes: &[u8]) -> String {
    if let Some(text) = unicode::marked(bytes) {
        return text;
    }
    if bytes.is_ascii() && escapes::has_escapes(bytes) {
        return escapes::decode_iso_2022(bytes);
    }
    let named = named.and_then(labels::find);
    if let Some(text) = utf8(named, bytes) {
        return text.to_owned();
    }
    if let Some(text) = named.and_then(|charset| Some(charset.decode(bytes)).filter(|text| charset.is_plausible(text)))
    {
        return text;
    }
    let hinted = hint.and_then(labels::find).map(|charset| charset.decode(bytes));
    let guessed = || guess(bytes).decode_without_bom_handling(bytes).0.into_owned();
    hinted.filter(|text| broken(text) == 0).unwrap_or_else(guessed)
}

/// The charset that octets seem to be in, if they are not UTF-8.
pub(crate) fn detect(bytes: &[u8]) -> Option<&'static str> {
    std::str::from_utf8(bytes).is_err().then(|| guess(bytes).name())
}

/// Whether a name is that of a charset, or one that stands for none: `us-ascii`, say.
pub(crate) fn is_known(name: &str) -> bool {
    name.eq_ignore_ascii_case("us-ascii") || labels::find(name).is_some()
}

/// The octets as they stand, if they are UTF-8 and that is what they mean.
fn utf8(named: Option<MailCharset>, bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    if let Some(marked) = text.strip_prefix('\u{feff}') {
        return Some(marked);
    }
    let is_utf8 = match named {
        None => true,
        Some(named) if is_default(named) => true,
        // Anything of two octets may be a legacy charset by accident, a few characters in a row are not. Characters of
        // three octets or more begin with what no legacy charset has at the beginning of common characters.
        Some(charset @ (MailCharset::Standard(_) | MailCharset::Dos(_))) => {
            let foreign = || text.chars().filter(|c| !c.is_ascii());
            let is_text = || charset.is_of_pairs() && broken(&charset.decode(bytes)) == 0;
            let is_sure = || match foreign().take(MIN_UTF8_CHARS_OF_PAIRS).count() {
                MIN_UTF8_CHARS_OF_PAIRS => true,
                count => count >= MIN_UTF8_CHARS && !is_text(),
            };
            foreign().any(|c| c.len_utf8() > 2) || is_sure()
        }
        Some(MailCharset::Escaped) => !text.is_ascii(),
        Some(_) => false,
    };
    is_utf8.then_some(text)
}

/// Whether a name is one that programs give without looking.
fn is_default(charset: MailCharset) -> bool {
    matches!(charset, MailCharset::Standard(encoding) if encoding == UTF_8 || encoding == WINDOWS_1252)
}

impl MailCharset {
    /// Whether it is ASCII with pairs of octets for what is beyond, as those of East Asia are.
    fn is_of_pairs(self) -> bool {
        matches!(self, Self::Standard(encoding) if encoding.is_ascii_compatible() && !encoding.is_single_byte())
    }

    fn decode(self, bytes: &[u8]) -> String {
        match self {
            Self::Standard(encoding) => encoding.decode_with_bom_removal(bytes).0.into_owned(),
            Self::Escaped => escapes::decode_iso_2022(bytes),
            Self::Hz => escapes::decode_hz(bytes),
            Self::Utf7 => unicode::decode_utf7(bytes),
            Self::Utf16 => unicode::decode_utf16(bytes),
            Self::Utf32 => unicode::decode_utf32(bytes),
            Self::Dos(table) => dos::decode(table, bytes),
        }
    }

    /// Whether so little of `text`, read as this charset, is broken that it was damaged rather than named wrongly. Much
    /// of any other charset is broken UTF-8, so that half may be; legacy charsets take almost anything.
    fn is_plausible(self, text: &str) -> bool {
        let foreign = text.chars().filter(|c| !c.is_ascii()).count();
        let most = if self == Self::Standard(UTF_8) { foreign / 2 } else { foreign / 4 };
        broken(text) <= most
    }
}

fn broken(text: &str) -> usize {
    text.matches(char::REPLACEMENT_CHARACTER).count()
}

/// The charset of octets of which nothing is known. A single one beyond ASCII tells nothing, so that one is taken for
/// what most of the world would mean.
fn guess(bytes: &[u8]) -> &'static Encoding {
    let foreign = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or_default();
    if bytes.iter().skip(foreign + 1).all(u8::is_ascii) {
        return WINDOWS_1252;
    }
    let start = foreign.saturating_sub(DETECTION_LEAD_BYTES);
    let end = bytes.len().min(start + MAX_DETECTION_BYTES);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes.get(start..end).unwrap_or_default(), end == bytes.len());
    detector.guess(None, Utf8Detection::Deny)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charsets_are_decoded_or_guessed() {
        for (charset, bytes, expected) in [
            (None, &b"caf\xe9"[..], "café"),
            (None, "café".as_bytes(), "café"),
            (Some("us-ascii"), "café".as_bytes(), "café"),
            (Some("utf-8"), b"caf\xe9", "café"),
            (Some("UTF-8"), b"\xc3\xa9\xff", "é\u{fffd}"),
            (Some("iso-8859-2"), b"\xb1", "ą"),
            (Some("shift_jis"), b"\x82\xa0", "あ"),
            (Some("gb2312"), b"\xc4\xe3", "你"),
            (Some("koi8-r"), b"\xc1", "а"),
            (Some("no-such-charset-anywhere-at-all-in-the-whole-wide-world"), b"\x80", "€"),
            (Some("utf-8"), b"\xef\xbb\xbfx", "x"),
        ] {
            assert_eq!(decode(charset, bytes), expected, "{charset:?}");
        }
    }
}
