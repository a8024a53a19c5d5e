//! Serialization of the body: text, HTML and attachments in encodings that limit line length.

use mail_builder::headers::{Header, HeaderType};
use mail_builder::mime::MimePart;

use super::boundary::MimeBoundaries;
use super::composition::{AttachmentPart, Composition};
use super::encoded::EncodedPart;
use crate::parse::Disposition;

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

/// Writes the Content fields and the body of the message.
pub(crate) fn write(mail: &Composition, seed: &str, out: &mut Vec<u8>) {
    let mut texts = texts(mail);
    if mail.attachments.is_empty()
        && mail.calendar.is_none()
        && texts.len() == 1
        && let Some(only) = texts.pop()
    {
        // Base64 ends its own lines. Other text needs the line ending that transport counts as part of the last line.
        let ending: &[u8] = if only.encoding == "base64" { b"" } else { b"\r\n" };
        only.into_part().write_part(out);
        out.extend_from_slice(ending);
        return;
    }
    let attached: Vec<EncodedPart> = mail.attachments.iter().map(EncodedPart::attachment).collect();
    let calendar = mail.calendar.as_ref().map(EncodedPart::calendar);
    let boundaries = MimeBoundaries::new(seed, &texts.iter().chain(&attached).chain(&calendar).collect::<Vec<_>>());

    let is_related = |attachment: &AttachmentPart| {
        mail.html.is_some() && attachment.content_id.is_some() && attachment.disposition == Disposition::Inline
    };
    let (mut related, mut mixed) = (Vec::new(), Vec::new());
    for (attachment, encoded) in mail.attachments.iter().zip(attached) {
        let list = if is_related(attachment) { &mut related } else { &mut mixed };
        list.push(encoded.into_part());
    }
    let mut alternatives: Vec<MimePart<'static>> = texts.into_iter().map(EncodedPart::into_part).collect();
    if !related.is_empty()
        && let Some(html) = alternatives.pop()
    {
        related.insert(0, html);
        alternatives.push(boundaries.multipart("related", related));
    }
    alternatives.extend(calendar.map(EncodedPart::into_part));
    let body =
        if alternatives.len() > 1 { boundaries.multipart("alternative", alternatives) } else { alternatives.remove(0) };
    if mixed.is_empty() {
        body.write_part(out);
    } else {
        mixed.insert(0, body);
        boundaries.multipart("mixed", mixed).write_part(out);
    }
}

/// Returns the text and the HTML in this order, or an empty text without both.
fn texts(mail: &Composition) -> Vec<EncodedPart> {
    let text = mail.text.as_deref().map(|text| EncodedPart::text("text/plain", text));
    let html = mail.html.as_deref().map(|html| EncodedPart::text("text/html", html));
    let mut texts: Vec<EncodedPart> = text.into_iter().chain(html).collect();
    if texts.is_empty() {
        texts.push(EncodedPart::text("text/plain", ""));
    }
    texts
}
