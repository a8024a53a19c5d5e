//! MIME parts in a transfer encoding that fits their content (RFC 2045, section 6).

use std::borrow::Cow;

use mail_builder::encoders::{Base64Encoder, QuotedPrintableEncoder};
use mail_builder::headers::HeaderType;
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::message_id::MessageId;
use mail_builder::mime::{BodyPart, MimePart};

use super::composition::{AttachmentPart, CalendarPart};
use super::validate::bare_content_id;
use crate::wire::params::ParameterizedValue;

/// Maximum length in bytes of an unencoded line (RFC 5322, section 2.1.1).
const MAX_PLAIN_LINE_BYTES: usize = 78;

/// A part with bytes ready for transmission.
pub(crate) struct EncodedPart {
    pub(crate) headers: Vec<(&'static str, HeaderType<'static>)>,
    pub(crate) encoding: &'static str,
    pub(crate) bytes: Vec<u8>,
}

impl EncodedPart {
    pub(crate) fn calendar(calendar: &CalendarPart) -> Self {
        let method = calendar.method.as_str().replace('_', "").to_ascii_uppercase();
        let content_type = ContentType::new("text/calendar").attribute("charset", "utf-8").attribute("method", method);
        let Self { encoding, bytes, .. } = Self::text("text/calendar", &calendar.content);
        Self { headers: vec![("Content-Type", content_type.into())], encoding, bytes }
    }

    pub(crate) fn text(media: &'static str, text: &str) -> Self {
        let text = with_crlf(text);
        let bytes = text.as_bytes();
        let (encoding, bytes) = if is_plain(bytes) {
            ("7bit", bytes.to_vec())
        } else if bytes.iter().filter(|b| b.is_ascii()).count() * 6 >= bytes.len() * 5 {
            let mut encoded = Vec::new();
            QuotedPrintableEncoder::new().preserve_line_breaks().encode_into(bytes, &mut encoded);
            ("quoted-printable", encoded)
        } else {
            ("base64", base64(bytes))
        };
        let content_type = ContentType::new(media).attribute("charset", "utf-8");
        Self { headers: vec![("Content-Type", content_type.into())], encoding, bytes }
    }

    pub(crate) fn attachment(attachment: &AttachmentPart) -> Self {
        let given = attachment.content_type.as_deref().unwrap_or("application/octet-stream");
        let parsed = ParameterizedValue::parse(given);
        // An attached message must not be encoded (RFC 2046, section 5.2.1). It remains as it is where possible.
        let is_mail = parsed.value == "message/rfc822" && is_wire_clean(&attachment.content);
        let (encoding, bytes) =
            if is_mail { ("7bit", attachment.content.clone()) } else { ("base64", base64(&attachment.content)) };

        let mut content_type = ContentType::new(parsed.value);
        for (name, value) in parsed.written {
            content_type = content_type.attribute(name, value);
        }
        let mut disposition = ContentType::new(attachment.disposition.as_str());
        if let Some(filename) = &attachment.filename {
            disposition = disposition.attribute("filename", filename.clone());
        }
        let mut headers: Vec<(&'static str, HeaderType<'static>)> =
            vec![("Content-Type", content_type.into()), ("Content-Disposition", disposition.into())];
        if let Some(id) = &attachment.content_id {
            headers.push(("Content-ID", MessageId::new(bare_content_id(id).to_owned()).into()));
        }
        Self { headers, encoding, bytes }
    }

    pub(crate) fn into_part(self) -> MimePart<'static> {
        let mut part = MimePart::raw(BodyPart::Binary(Cow::Owned(self.bytes)));
        for (name, value) in self.headers {
            part = part.header(name, value);
        }
        part.transfer_encoding(self.encoding)
    }
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(bytes.len() / 3 * 4 + bytes.len() / 28 + 8);
    Base64Encoder::new().wrap_lines().encode_into(bytes, &mut encoded);
    encoded
}

/// Converts every line break to CRLF.
fn with_crlf(text: &str) -> String {
    crate::sanitize::normalize_body(text).replace('\n', "\r\n")
}

/// Returns true for ASCII in short lines.
///
/// Lines must not end in white space that transport could remove, and none may look like the start of a message in an
/// mbox file.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.split(|b| *b == b'\n').all(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let ends_in_space = matches!(line.last(), Some(b' ' | b'\t'));
        line.len() <= MAX_PLAIN_LINE_BYTES
            && !ends_in_space
            && !line.starts_with(b"From ")
            && line.iter().all(|b| b.is_ascii() && (*b == b'\t' || !b.is_ascii_control()))
    })
}

/// Returns true if the bytes need no encoding: ASCII, line breaks as CRLF only, lines of at most 998 bytes.
fn is_wire_clean(bytes: &[u8]) -> bool {
    let mut length = 0;
    let mut previous = 0;
    for &b in bytes {
        let broken = (b == b'\n') != (previous == b'\r');
        length = if b == b'\n' { 0 } else { length + 1 };
        if broken || length > 998 || b == 0 || !b.is_ascii() {
            return false;
        }
        previous = b;
    }
    previous != b'\r'
}
