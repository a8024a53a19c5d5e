//! Charset decoding with detection for missing and wrong names.

mod dos;
mod escapes;
mod labels;
mod unicode;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use self::labels::MailCharset;

/// Maximum number of bytes for detection, and of those before the first byte beyond ASCII.
const MAX_DETECTION_BYTES: usize = 8 * 1024;
const DETECTION_LEAD_BYTES: usize = 256;
/// Number of characters beyond ASCII that prove UTF-8 against another declared charset.
const MIN_UTF8_CHARS: usize = 4;
/// The same number if the bytes are also valid in a declared two-byte charset, where one in five common byte pairs is
/// UTF-8 by accident.
const MIN_UTF8_CHARS_OF_PAIRS: usize = 8;

/// Decodes `bytes` with the declared charset `named`.
pub(crate) fn decode(named: Option<&str>, bytes: &[u8]) -> String {
    decode_with(named, None, bytes)
}

/// Decodes `bytes` with the declared charset `named`; `hint` is the charset of neighbouring content.
///
/// Proven UTF-8 takes precedence over any name. Otherwise the declared charset applies unless the bytes contradict it,
/// then the hint if it decodes without errors, then detection. Each unreadable byte becomes U+FFFD.
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

/// Detects the charset of bytes that are not UTF-8.
pub(crate) fn detect(bytes: &[u8]) -> Option<&'static str> {
    std::str::from_utf8(bytes).is_err().then(|| guess(bytes).name())
}

/// Returns true for the name of a charset, including names without meaning such as `us-ascii`.
pub(crate) fn is_known(name: &str) -> bool {
    name.eq_ignore_ascii_case("us-ascii") || labels::find(name).is_some()
}

/// Returns the bytes as text if they are intended as UTF-8.
fn utf8(named: Option<MailCharset>, bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    if let Some(marked) = text.strip_prefix('\u{feff}') {
        return Some(marked);
    }
    let is_utf8 = match named {
        None => true,
        Some(named) if is_default(named) => true,
        // Two-byte characters may be a legacy charset by accident, but not several in a row. Longer ones begin with
        // bytes that start no common character in legacy charsets.
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

/// Returns true for a charset that programs declare by default.
fn is_default(charset: MailCharset) -> bool {
    matches!(charset, MailCharset::Standard(encoding) if encoding == UTF_8 || encoding == WINDOWS_1252)
}

impl MailCharset {
    /// Returns true for ASCII plus byte pairs, the structure of East Asian charsets.
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

    /// Returns true if so little of `text` is broken that the bytes were damaged rather than mislabelled.
    ///
    /// UTF-8 permits one half, because most text in other charsets is invalid in it; legacy charsets accept almost any
    /// bytes.
    fn is_plausible(self, text: &str) -> bool {
        let foreign = text.chars().filter(|c| !c.is_ascii()).count();
        let most = if self == Self::Standard(UTF_8) { foreign / 2 } else { foreign / 4 };
        broken(text) <= most
    }
}

fn broken(text: &str) -> usize {
    text.matches(char::REPLACEMENT_CHARACTER).count()
}

/// Detects the charset of unlabelled bytes. A single byte beyond ASCII is no evidence and counts as the most common
/// charset.
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
    fn charsets_are_decoded_or_detected() {
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
