//! Lenient Content-Transfer-Encoding decoder (RFC 2045, section 6).

use std::borrow::Cow;

use super::base64;
use super::lines::line_at;
use super::uuencode;

/// Transfer encoding of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferEncoding {
    /// 7bit, 8bit, binary and unknown encodings: the bytes themselves.
    Identity,
    /// base64.
    Base64,
    /// quoted-printable.
    QuotedPrintable,
    /// x-uuencode, a non-standard encoding.
    Uuencode,
}

impl TransferEncoding {
    pub(crate) fn from_header(value: &str) -> Self {
        let word = value.split([';', '(']).next().unwrap_or_default().trim();
        if word.eq_ignore_ascii_case("base64") {
            Self::Base64
        } else if word.eq_ignore_ascii_case("quoted-printable") {
            Self::QuotedPrintable
        } else if ["x-uuencode", "uuencode", "x-uue"].iter().any(|name| word.eq_ignore_ascii_case(name)) {
            Self::Uuencode
        } else {
            Self::Identity
        }
    }

    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Identity => Cow::Borrowed(bytes),
            Self::Base64 => Cow::Owned(base64::decode(bytes)),
            Self::QuotedPrintable => Cow::Owned(quoted_printable(bytes)),
            Self::Uuencode => match uuencode::blocks(bytes).next() {
                Some(block) => Cow::Owned(uuencode::decode(bytes.get(block.data).unwrap_or_default())),
                None => Cow::Borrowed(bytes),
            },
        }
    }
}

/// Decodes quoted-printable. Invalid escapes remain; white space at line ends, which transport may add, is removed.
fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some((line, next)) = line_at(bytes, at) {
        let ending = bytes.get(at + line.len()..next).unwrap_or_default();
        let line = line.trim_ascii_end();
        if let Some(soft) = line.strip_suffix(b"=") {
            escapes(soft, &mut out);
        } else {
            escapes(line, &mut out);
            out.extend_from_slice(ending);
        }
        at = next;
    }
    out
}

/// Decodes `=XX` escapes of quoted-printable and of the Q encoding in headers.
pub(crate) fn escapes(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'=', rest) {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before);
        match escape {
            [_, high, low, ..] if hex(*high).is_some() && hex(*low).is_some() => {
                out.push(hex(*high).unwrap_or_default() << 4 | hex(*low).unwrap_or_default());
                rest = escape.get(3..).unwrap_or_default();
            }
            _ => {
                out.push(b'=');
                rest = escape.get(1..).unwrap_or_default();
            }
        }
    }
    out.extend_from_slice(rest);
}

pub(crate) fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_printable_is_decoded_leniently() {
        for (encoded, expected) in [
            ("a=20b=\r\nc", "a bc"),
            ("caf=C3=A9", "café"),
            ("1=2 =ZZ =", "1=2 =ZZ "),
            ("a  \r\nb", "a\r\nb"),
            ("a=  \nb", "ab"),
            ("caf=c3=a9", "café"),
            ("caf=C3=\r\n=A9", "café"),
            ("caf=C3=A9=", "café"),
            ("a=3Db=3db", "a=b=b"),
            ("a=\r\n\r\nb", "a\r\nb"),
            ("=4", "=4"),
            ("a=0D=0Ab", "a\r\nb"),
            ("https://a.example/?x=1&y=zz", "https://a.example/?x=1&y=zz"),
        ] {
            assert_eq!(quoted_printable(encoded.as_bytes()), expected.as_bytes(), "{encoded}");
        }
    }
}
