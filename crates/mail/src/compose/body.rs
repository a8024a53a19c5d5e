//! The body: text, HTML, and what is attached, each in the encoding that keeps its lines short.

use std::borrow::Cow;

use mail_builder::encoders::{Base64Encoder, QuotedPrintableEncoder};
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::{Header, HeaderType};
use mail_builder::mime::{BodyPart, MimePart};

use super::boundary::boundary;
use super::check::bare_content_id;
use super::{AttachmentPart, Composition};
use crate::parse::Disposition;
use crate::wire::params::Parameterized;

/// The longest line that goes out unencoded (RFC 5322 section 2.1.1 asks for 78).
const MAX_PLAIN_LINE: usize = 78;

/// Writes a header value, folded, with its line ending.
pub(crate) fn write_value(value: &HeaderType<'_>, column: usize, out: &mut Vec<u8>) {
    match value {
        HeaderType::Address(value) => value.write_header(out, column),
        HeaderType::Date(value) => value.write_header(out, column),
        HeaderType::MessageId(value) => value.write_header(out, column),
        HeaderType::Raw(value) => value.write_header(out, column),
        HeaderType::Text(value) => value.write_header(out, column),
        HeaderType::URL(value) => value.write_header(out, column),
        HeaderType::ContentType(value) => value.write_header(out, column),
    }
}

/// Writes the Content fields of the mail and its body.
pub(crate) fn write(mail: &Composition, seed: &str, out: &mut Vec<u8>) {
    let texts = texts(mail);
    let attached: Vec<Encoded> = mail.attachments.iter().map(Encoded::attachment).collect();
    if attached.is_empty()
        && let [only] = texts.as_slice()
    {
        part(only).write_part(out);
        // Base64 ends its own lines; other text gets the ending that transport takes for its last line's.
        if only.encoding != "base64" {
            out.extend_from_slice(b"\r\n");
        }
        return;
    }
    let contents: Vec<&[u8]> = texts.iter().chain(&attached).map(|part| part.bytes.as_slice()).collect();
    let multipart = |kind: &str, parts: Vec<MimePart<'static>>| {
        let content_type = ContentType::new(format!("multipart/{kind}"));
        let boundary = boundary(seed, kind, &contents);
        MimePart::new(content_type.attribute("boundary", boundary), BodyPart::Multipart(parts))
    };
    let is_related = |attachment: &AttachmentPart| {
        mail.html.is_some() && attachment.content_id.is_some() && attachment.disposition == Disposition::Inline
    };
    let (mut related, mut mixed) = (Vec::new(), Vec::new());
    for (attachment, encoded) in mail.attachments.iter().zip(&attached) {
        let list = if is_related(attachment) { &mut related } else { &mut mixed };
        list.push(part(encoded));
    }
    let mut alternatives: Vec<MimePart<'static>> = texts.iter().map(part).collect();
    if !related.is_empty()
        && let Some(html) = alternatives.pop()
    {
        related.insert(0, html);
        alternatives.push(multipart("related", related));
    }
    let body = if alternatives.len() > 1 { multipart("alternative", alternatives) } else { alternatives.remove(0) };
    let whole = if mixed.is_empty() {
        body
    } else {
        mixed.insert(0, body);
        multipart("mixed", mixed)
    };
    whole.write_part(out);
}

/// The text and the HTML, in that order; an empty text when there is neither.
fn texts(mail: &Composition) -> Vec<Encoded> {
    let text = mail.text.as_deref().map(|text| Encoded::text("text/plain", text));
    let html = mail.html.as_deref().map(|html| Encoded::text("text/html", html));
    let mut texts: Vec<Encoded> = text.into_iter().chain(html).collect();
    if texts.is_empty() {
        texts.push(Encoded::text("text/plain", ""));
    }
    texts
}

/// A part whose octets are ready for the wire.
struct Encoded {
    headers: Vec<(&'static str, HeaderType<'static>)>,
    encoding: &'static str,
    bytes: Vec<u8>,
}

impl Encoded {
    fn text(media: &'static str, text: &str) -> Self {
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

    fn attachment(attachment: &AttachmentPart) -> Self {
        let given = attachment.content_type.as_deref().unwrap_or("application/octet-stream");
        let parsed = Parameterized::parse(given);
        // An attached mail may not be encoded (RFC 2046 section 5.2.1); it goes out as it is when that is possible.
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
}

fn part(encoded: &Encoded) -> MimePart<'static> {
    let mut part = MimePart::raw(BodyPart::Binary(Cow::Owned(encoded.bytes.clone())));
    for (name, value) in &encoded.headers {
        part = part.header(*name, value.clone());
    }
    part.transfer_encoding(encoded.encoding)
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(bytes.len() / 3 * 4 + bytes.len() / 28 + 8);
    Base64Encoder::new().wrap_lines().encode_into(bytes, &mut encoded);
    encoded
}

/// Every line break as CRLF.
fn with_crlf(text: &str) -> String {
    crate::clean::body(text).replace('\n', "\r\n")
}

/// ASCII in short lines, no white space at their ends that transport could lose, and no line that looks like the start
/// of a mail in a mailbox file.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.split(|b| *b == b'\n').all(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let ends_in_space = matches!(line.last(), Some(b' ' | b'\t'));
        line.len() <= MAX_PLAIN_LINE
            && !ends_in_space
            && !line.starts_with(b"From ")
            && line.iter().all(|b| b.is_ascii() && (*b == b'\t' || !b.is_ascii_control()))
    })
}

/// Whether the octets can be sent as they are: ASCII, CRLF alone, lines of at most 998.
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
