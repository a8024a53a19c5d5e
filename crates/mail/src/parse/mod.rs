//! Reading a mail: any octets give one.

mod attachment;
mod body;
mod body_parts;
mod content;
mod date;
mod enclosed_files;
mod file_names;
mod flowed;
mod headers;
mod tnef;
pub(crate) mod tree;

pub use attachment::{Disposition, ParsedAttachment, UnknownDisposition, attachment_content, attachment_contents};

use crate::address::HeaderAddress;
use crate::findings::{ExtractedCode, ExtractedLink, MAX_TEXT_BYTES, extract_codes, extract_links};
use crate::html;
use crate::preview::preview;
use crate::reply::{ReplyHint, new_text};
use crate::sanitize::hides_characters;
use crate::subject::{is_forward, is_reply};
use crate::wire::{charset, fields, lines};

/// How many octets of words are read for a preview of 200 characters, with what is left out of it.
const MAX_PREVIEW_SOURCE_BYTES: usize = 16 * 1024;

/// A mail, read. No string in it holds a NUL, none outside the bodies a control character.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedMail {
    /// The Message-ID in angle brackets; `None` when absent or malformed.
    pub message_id: Option<String>,
    /// What the mail answers, in angle brackets, in order, at most 100.
    pub in_reply_to: Vec<String>,
    /// The thread so far, oldest first, at most the last 100.
    pub references: Vec<String>,
    /// Everyone in every From field.
    pub from: Vec<HeaderAddress>,
    /// The Sender field.
    pub sender: Option<HeaderAddress>,
    /// The Reply-To fields.
    pub reply_to: Vec<HeaderAddress>,
    /// The To fields, groups flattened: the first 1,000 addresses and 64 KiB of them, as in the other lists.
    pub to: Vec<HeaderAddress>,
    /// The Cc fields.
    pub cc: Vec<HeaderAddress>,
    /// The Bcc fields, which a mail seldom still has when it arrives.
    pub bcc: Vec<HeaderAddress>,
    /// The subject, decoded, cut to 16,376 octets; `None` when absent or empty.
    pub subject: Option<String>,
    /// The Date field in Unix seconds.
    pub date: Option<i64>,
    /// The top-level fields in order, name as written, value unfolded and decoded: the first 500, 256 KiB in all.
    pub headers: Vec<(String, String)>,
    /// The plain text, line breaks as LF; made from the HTML when there is nothing else. At most 8 MiB are read.
    pub text: Option<String>,
    /// The HTML as sent. At most 8 MiB are read.
    pub html: Option<String>,
    /// What is new in the text.
    pub extracted_text: Option<String>,
    /// What is new in the HTML.
    pub extracted_html: Option<String>,
    /// The first 200 characters of what is new, on one line.
    pub preview: Option<String>,
    /// Whether the mail holds words that nobody sees who reads it: in its HTML, or spelled in characters that draw
    /// nothing. They are neither in `preview` nor in a `text` that was made from HTML.
    pub hides_text: bool,
    /// The verification codes in what is new, the surest first.
    pub codes: Vec<ExtractedCode>,
    /// The links in what is new that confirm something, the surest first.
    pub links: Vec<ExtractedLink>,
    /// Every part that is not text or HTML of the mail itself, then the files that are in a `winmail.dat` or stand in
    /// the text by `uuencode`. At most 1,000 are read, and of their names, types and ids the first 64 KiB. What is
    /// encrypted or wrapped in its signature (`smime.p7m`, `encrypted.asc`) is here as it came and is not opened.
    pub attachments: Vec<ParsedAttachment>,
    /// How many Received fields there are, those beyond `headers` included.
    pub received_count: usize,
}

/// Reads a mail. It never fails: what cannot be understood is left out or taken as text.
///
/// The time is linear in the octets given, and all that is kept is bounded.
#[must_use]
pub fn parse(raw: &[u8]) -> ParsedMail {
    let mut mail = ParsedMail::default();
    let lines = lines::readable(raw);
    let header = lines.get(..fields::block(&lines, 0, |_| false).end).unwrap_or_default();
    let parts = tree::walk(&lines);
    let named = parts.iter().find_map(|part| part.content.charset());
    let charset = named.or_else(|| likely_charset(header, &lines));
    headers::read(header, charset.as_deref(), &mut mail);

    let selection = body_parts::select(&parts);
    mail.attachments = attachment::describe_all(raw, &lines, &parts, &selection.attachments);

    let body::MessageBodies { text, html, text_is_derived } = body::bodies(&lines, &parts, &selection);
    // A forward is new to its reader as a whole, though what it passes on is marked like a quotation.
    let is_forwarded =
        mail.subject.as_deref().is_some_and(|subject| is_forward(subject, text.as_deref().unwrap_or_default()));
    let hint = reply_hint(&mail);
    mail.extracted_html =
        html.as_deref().map(|html| if is_forwarded { html.to_owned() } else { html::new_html(html, hint) });
    // What is new in text that was made from HTML was told apart in the HTML, which knows more: where nothing was cut out
    // of it, the text is new as a whole.
    let is_cut = mail.extracted_html != html;
    mail.extracted_text = match (&mail.extracted_html, &text) {
        (Some(html), Some(whole)) if text_is_derived && is_cut => {
            let new = html::text_from_html(html);
            // A picture above a quotation is new, and has no words.
            Some(if new.is_empty() { whole.clone() } else { new })
        }
        (_, Some(text)) if !text_is_derived && !is_forwarded => Some(new_text(text, hint)),
        _ => text.clone(),
    };
    mail.preview = preview_of(&mail, text_is_derived);
    let new = mail.extracted_text.as_deref().unwrap_or_default();
    mail.codes = extract_codes(mail.subject.as_deref(), new);
    if let Some(html) = mail.extracted_html.as_deref().filter(|_| !text_is_derived) {
        // Many a text beside HTML only says that there is HTML, or what the mail is about.
        let of_html = extract_codes(mail.subject.as_deref(), &html::words_from_html(html, MAX_TEXT_BYTES));
        if highest_confidence(&of_html) > highest_confidence(&mail.codes) {
            mail.codes = of_html;
        }
    }
    mail.links = extract_links(mail.subject.as_deref(), new, mail.extracted_html.as_deref());
    let spelled = [&mail.subject, &text].into_iter().flatten().any(|words| hides_characters(words));
    mail.hides_text = spelled || html.as_deref().is_some_and(html::hides_text);
    mail.text = text;
    mail.html = html;
    mail
}

/// Whether the header says that the mail answers another one.
fn reply_hint(mail: &ParsedMail) -> ReplyHint {
    let is_in_thread = !mail.in_reply_to.is_empty() || !mail.references.is_empty();
    let is_answer = is_in_thread || mail.subject.as_deref().is_some_and(is_reply);
    if is_answer { ReplyHint::Reply } else { ReplyHint::NewThread }
}

/// What octets beyond ASCII in the header may be in, where no part names a charset: a text tells more than a subject.
fn likely_charset(header: &[u8], raw: &[u8]) -> Option<String> {
    std::str::from_utf8(header).is_err().then(|| charset::detect(raw)).flatten().map(str::to_owned)
}

fn highest_confidence(codes: &[ExtractedCode]) -> Option<u8> {
    codes.first().map(|code| code.confidence)
}

/// The preview leaves link targets out, which are all one would see of many a newsletter.
fn preview_of(mail: &ParsedMail, text_is_derived: bool) -> Option<String> {
    let line = match &mail.extracted_html {
        Some(html) if text_is_derived => preview(&html::words_from_html(html, MAX_PREVIEW_SOURCE_BYTES)),
        _ => preview(mail.extracted_text.as_deref()?),
    };
    Some(line).filter(|line| !line.is_empty())
}
