//! Text and HTML of a message, joined from the selected parts.

use std::borrow::Cow;

use super::body_parts::PartSelection;
use super::enclosed_files;
use super::flowed;
use super::tnef::{self, TnefContent};
use super::tree::ParsedPart;
use crate::html;
use crate::sanitize;
use crate::wire::charset;
use crate::wire::transfer::TransferEncoding;
use crate::wire::uuencode;

/// Maximum number of bytes read of the text, and of the HTML; the rest is ignored.
pub(crate) const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// Text and HTML of a message.
#[derive(Debug, Default)]
pub(crate) struct MessageBodies {
    pub(crate) text: Option<String>,
    pub(crate) html: Option<String>,
    /// True if `text` was derived from `html` because the message has no other text.
    pub(crate) text_is_derived: bool,
}

/// Decodes and joins the selected parts; an empty message takes the content of its `winmail.dat`.
pub(crate) fn bodies(raw: &[u8], parts: &[ParsedPart], selection: &PartSelection) -> MessageBodies {
    let own = own_bodies(raw, parts, selection);
    let is_empty = own.html.is_none() && own.text.as_ref().is_none_or(|text| text.trim().is_empty());
    let wrapped = parts.iter().filter(|part| is_empty && enclosed_files::is_tnef(part)).find_map(|part| {
        let TnefContent { text, html, .. } = tnef::open(&part.content.encoding.decode(part.bytes(raw)), MAX_BODY_BYTES);
        let is_derived = text.is_none();
        let text = text.or_else(|| html.as_deref().map(html::text_from_html));
        text.is_some().then_some(MessageBodies { text, html, text_is_derived: is_derived })
    });
    wrapped.unwrap_or(own)
}

fn own_bodies(raw: &[u8], parts: &[ParsedPart], selection: &PartSelection) -> MessageBodies {
    let is_html = |number: &usize| parts.get(*number).is_some_and(|part| part.content.media() == "text/html");
    let html = if selection.html.iter().any(is_html) {
        Some(join(raw, parts, &selection.html, |text, html| if html { text } else { paragraph(&text) }))
    } else {
        None
    };
    let has_plain = selection.text.iter().any(|number| !is_html(number));
    let text = if html.is_none() || has_plain {
        join(raw, parts, &selection.text, |text, html| if html { html::text_from_html(&text) } else { text })
    } else {
        String::new()
    };
    match html {
        Some(html) if text.trim().is_empty() => {
            MessageBodies { text: Some(html::text_from_html(&html)), text_is_derived: true, html: Some(html) }
        }
        html => MessageBodies { text: Some(text).filter(|_| !selection.text.is_empty()), text_is_derived: false, html },
    }
}

/// Joins parts with line breaks; `render` converts each and receives true for HTML.
fn join(raw: &[u8], parts: &[ParsedPart], numbers: &[usize], render: impl Fn(String, bool) -> String) -> String {
    let mut out = String::new();
    for number in numbers {
        let Some(part) = parts.get(*number) else {
            continue;
        };
        let text = decode(raw, part, *number == 0, MAX_BODY_BYTES.saturating_sub(out.len()));
        let rendered = render(text, part.content.media() == "text/html");
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&rendered);
    }
    out
}

/// Decodes the text of one part from at most `limit` bytes: transfer encoding, charset, line breaks to LF.
fn decode(raw: &[u8], part: &ParsedPart, is_whole_mail: bool, limit: usize) -> String {
    let content = &part.content;
    let bytes = content.encoding.decode(part.bytes(raw));
    let bytes = if enclosed_files::may_hold_files(raw, part) { without_files(&bytes) } else { bytes };
    let bytes = bytes.get(..limit).unwrap_or(&bytes);
    let named = content.charset();
    let in_html = if content.media() == "text/html" { html::charset(bytes) } else { None };
    let mut text = sanitize::normalize_body(&charset::decode_with(named.as_deref(), in_html.as_deref(), bytes));
    // The last line ending of a message with one text belongs to the transport, like the one before a boundary.
    let is_ended = is_whole_mail && content.encoding != TransferEncoding::Base64;
    if is_ended && text.ends_with('\n') {
        text.pop();
    }
    if content.media() == "text/plain" && content.parameters.is("format", "flowed") {
        return flowed::unflow(&text, content.parameters.is("delsp", "yes"));
    }
    text
}

/// Removes uuencoded files from a text; they are attachments.
fn without_files(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut remaining = Vec::new();
    let mut start = 0;
    for block in uuencode::blocks(bytes) {
        remaining.extend_from_slice(bytes.get(start..block.whole.start).unwrap_or_default());
        start = block.whole.end;
    }
    if start == 0 {
        return Cow::Borrowed(bytes);
    }
    remaining.extend_from_slice(bytes.get(start..).unwrap_or_default());
    Cow::Owned(remaining)
}

/// Wraps plain text in HTML.
fn paragraph(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<div style=\"white-space: pre-wrap\">{escaped}</div>")
}
