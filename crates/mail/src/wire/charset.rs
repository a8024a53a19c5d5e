//! Text from octets in whatever charset the sender named, or none.

use mail_parser::decoders::charsets::map::charset_decoder;

/// Decodes `bytes`, which `charset` is said to describe.
///
/// Octets that are UTF-8 are read as UTF-8 also where nothing, ASCII or Latin-1 was named, since text in Latin-1 is
/// UTF-8 only by the rarest accident; anything else without a known charset is read as windows-1252, so that no octet
/// is lost.
pub(crate) fn decode(charset: Option<&str>, bytes: &[u8]) -> String {
    let name = charset.unwrap_or_default().trim().to_ascii_lowercase();
    match name.as_str() {
        "" | "us-ascii" | "ascii" | "utf-8" | "utf8" | "iso-8859-1" | "latin1" | "windows-1252" | "cp1252"
        | "unknown-8bit" | "x-unknown" | "8bit" | "binary" => utf8_or_latin1(bytes),
        name => match charset_decoder(name.as_bytes()) {
            Some(decoder) => decoder(bytes),
            None => utf8_or_latin1(bytes),
        },
    }
}

/// UTF-8; where it is broken, replacement characters if some of it is UTF-8, windows-1252 if none is.
pub(crate) fn utf8_or_latin1(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    if bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii()) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    match charset_decoder(b"windows-1252") {
        Some(decoder) => decoder(bytes),
        None => bytes.iter().map(|&b| char::from(b)).collect(),
    }
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
