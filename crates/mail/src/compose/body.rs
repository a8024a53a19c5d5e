//! The body: text, HTML, and what is attached, each in the encoding that keeps its lines short.

use mail_builder::headers::{Header, HeaderType};
use mail_builder::mime::MimePart;

use super::boundary::MimeBoundaries;
use super::encoded::EncodedPart;
use super::{AttachmentPart, Composition};
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

/// Writes the Content fields of the mail and its body.
pub(crate) fn write(mail: &Composition, seed: &str, out: &mut Vec<u8>) {
    let mut texts = texts(mail);
    if mail.attachments.is_empty()
        && texts.len() == 1
        && let Some(only) = texts.pop()
    {
        // Base64 ends its own lines; other text gets the ending that transport takes for its last line's.
        let ending: &[u8] = if only.encoding == "base64" { b"" } else { b"\r\n" };
        only.into_part().write_part(out);
        out.extend_from_slice(ending);
        return;
    }
    let attached: Vec<EncodedPart> = mail.attachments.iter().map(EncodedPart::attachment).collect();
    let boundaries = MimeBoundaries::new(seed, &texts.iter().chain(&attached).collect::<Vec<_>>());

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
    let body =
        if alternatives.len() > 1 { boundaries.multipart("alternative", alternatives) } else { alternatives.remove(0) };
    if mixed.is_empty() {
        body.write_part(out);
    } else {
        mixed.insert(0, body);
        boundaries.multipart("mixed", mixed).write_part(out);
    }
}

/// The text and the HTML, in that order; an empty text when there is neither.
fn texts(mail: &Composition) -> Vec<EncodedPart> {
    let text = mail.text.as_deref().map(|text| EncodedPart::text("text/plain", text));
    let html = mail.html.as_deref().map(|html| EncodedPart::text("text/html", html));
    let mut texts: Vec<EncodedPart> = text.into_iter().chain(html).collect();
    if texts.is_empty() {
        texts.push(EncodedPart::text("text/plain", ""));
    }
    texts
}
