//! Parser for messages; any bytes are a message.

mod attachment;
mod authored;
mod body;
mod body_parts;
mod calendar_part;
mod content;
mod date;
mod disposition;
mod enclosed_files;
mod file_names;
mod flowed;
mod headers;
mod tnef;
pub(crate) mod tree;

pub use attachment::{ParsedAttachment, attachment_content, attachment_contents};
pub use authored::{AuthoredMail, AuthoredPart, authored_mail};
pub use disposition::{Disposition, UnknownDisposition};

use crate::address::HeaderAddress;
use crate::calendar::CalendarMessage;
use crate::findings::{ExtractedCode, ExtractedLink, MAX_TEXT_BYTES, extract_codes, extract_links};
use crate::html::{self, NewHtml};
use crate::preview::preview;
use crate::reply::{MailFacts, NewText, ReplyHint, TextSurroundings, new_text};
use crate::safety::{self, SafetyFindings};
use crate::sanitize::hides_characters;
use crate::subject::{is_forward, is_reply};
use crate::wire::{charset, fields, lines};

/// Maximum number of bytes read for a preview of 200 characters, including omitted text.
const MAX_PREVIEW_SOURCE_BYTES: usize = 16 * 1024;

/// A parsed message. No string contains NUL, and none outside the bodies contains control characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedMail {
    /// Message-ID in angle brackets; `None` if absent or malformed.
    pub message_id: Option<String>,
    /// In-Reply-To identifiers in angle brackets, in order, at most 100.
    pub in_reply_to: Vec<String>,
    /// References of the thread, oldest first, at most the last 100.
    pub references: Vec<String>,
    /// All addresses of all From fields.
    pub from: Vec<HeaderAddress>,
    /// Address of the Sender field.
    pub sender: Option<HeaderAddress>,
    /// Addresses of the Reply-To fields.
    pub reply_to: Vec<HeaderAddress>,
    /// Addresses of the To fields with groups flattened; the first 1,000 addresses and 64 KiB, as in the other lists.
    pub to: Vec<HeaderAddress>,
    /// Addresses of the Cc fields.
    pub cc: Vec<HeaderAddress>,
    /// Addresses of the Bcc fields, which received messages seldom contain.
    pub bcc: Vec<HeaderAddress>,
    /// Decoded subject, cut to 16,376 bytes; `None` if absent or empty.
    pub subject: Option<String>,
    /// Date field in Unix seconds.
    pub date: Option<i64>,
    /// Top-level fields in order, with names as written and values unfolded and decoded; the first 500 fields and 256
    /// KiB.
    pub headers: Vec<(String, String)>,
    /// Plain text with LF line breaks, derived from the HTML without other text. At most 8 MiB are read.
    pub text: Option<String>,
    /// HTML as sent. At most 8 MiB are read.
    pub html: Option<String>,
    /// New content of the text.
    pub extracted_text: Option<String>,
    /// New content of the HTML.
    pub extracted_html: Option<String>,
    /// Signature of the author, without its mark; at most 4 KiB.
    pub signature: Option<String>,
    /// Notices of the author's organization or of a service: disclaimers, requests not to print, ways to leave a list;
    /// at most 4 KiB.
    pub footer: Option<String>,
    /// First 200 characters of the new content, on one line.
    pub preview: Option<String>,
    /// True if the message contains hidden words, in HTML or spelled in invisible characters.
    ///
    /// They appear neither in `preview` nor in a `text` derived from HTML.
    pub hides_text: bool,
    /// Verification codes in the new content, the most confident first.
    pub codes: Vec<ExtractedCode>,
    /// Confirmation links in the new content, the most confident first.
    pub links: Vec<ExtractedLink>,
    /// All parts other than the message's own text and HTML, then the files in `winmail.dat` and uuencoded files in the
    /// text.
    ///
    /// At most 1,000 are read, with 64 KiB of names, types and ids. Encrypted or opaque-signed content (`smime.p7m`,
    /// `encrypted.asc`) stays unopened.
    pub attachments: Vec<ParsedAttachment>,
    /// Content of the first calendar part, such as an invitation.
    pub calendar: Option<CalendarMessage>,
    /// Findings about the intentions of the sender.
    pub safety: SafetyFindings,
    /// Number of Received fields, including those beyond the limit of `headers`.
    pub received_count: usize,
}

/// Parses a message and never fails: unreadable content is omitted or treated as text.
///
/// The time is linear in the number of bytes, and all output is bounded.
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

    mail.calendar = calendar_part::read(&lines, &parts);

    let body::MessageBodies { text, html, text_is_derived } = body::bodies(&lines, &parts, &selection);
    // A forward is new to its reader as a whole, although the forwarded part is marked like a quotation.
    let is_forwarded =
        mail.subject.as_deref().is_some_and(|subject| is_forward(subject, text.as_deref().unwrap_or_default()));
    let author = mail.from.first().and_then(|from| from.name.clone()).unwrap_or_default();
    let facts = MailFacts { hint: reply_hint(&mail), author: &author };
    let new = html.as_deref().filter(|_| !is_forwarded).map(|html| html::new_html(html, facts));
    let (new_html, of_html) = new.map(|NewHtml { html, surroundings }| (html, surroundings)).unzip();
    mail.extracted_html = new_html.or_else(|| html.clone());
    let mut of_text = None;
    // The HTML decides the new content of text derived from it, since it has more information. HTML without a cut means
    // that all text is new.
    let is_cut = mail.extracted_html != html;
    mail.extracted_text = match (&mail.extracted_html, &text) {
        (Some(html), Some(whole)) if text_is_derived && is_cut => {
            let new = html::text_from_html(html);
            // A picture above a quotation is new content without words.
            Some(if new.is_empty() { whole.clone() } else { new })
        }
        (_, Some(text)) if !text_is_derived && !is_forwarded => {
            let NewText { text, surroundings } = new_text(text, facts);
            of_text = Some(surroundings);
            Some(text)
        }
        _ => text.clone(),
    };
    let (of_text, of_html): (TextSurroundings, TextSurroundings) =
        (of_text.unwrap_or_default(), of_html.unwrap_or_default());
    mail.signature = of_text.signature.or(of_html.signature);
    mail.footer = of_text.footer.or(of_html.footer);
    mail.preview = preview_of(&mail, text_is_derived);
    let new = mail.extracted_text.as_deref().unwrap_or_default();
    mail.codes = extract_codes(mail.subject.as_deref(), new);
    if let Some(html) = mail.extracted_html.as_deref().filter(|_| !text_is_derived) {
        // Many texts beside HTML only point to the HTML or state the topic.
        let of_html = extract_codes(mail.subject.as_deref(), &html::words_from_html(html, MAX_TEXT_BYTES));
        if highest_confidence(&of_html) > highest_confidence(&mail.codes) {
            mail.codes = of_html;
        }
    }
    mail.links = extract_links(mail.subject.as_deref(), new, mail.extracted_html.as_deref());
    let spelled = [&mail.subject, &text].into_iter().flatten().any(|words| hides_characters(words));
    let inspection = html.as_deref().map(|html| html::inspect(html, safety::inspection_limits(text_is_derived)));
    let inspection = inspection.unwrap_or_default();
    mail.hides_text = spelled || inspection.hides_words || inspection.hides_characters;
    mail.text = text;
    mail.html = html;
    mail.safety = safety::findings(&mail, &inspection, spelled);
    mail
}

/// Returns whether the header marks the message as a reply.
fn reply_hint(mail: &ParsedMail) -> ReplyHint {
    let is_in_thread = !mail.in_reply_to.is_empty() || !mail.references.is_empty();
    let is_answer = is_in_thread || mail.subject.as_deref().is_some_and(is_reply);
    if is_answer { ReplyHint::Reply } else { ReplyHint::NewThread }
}

/// Detects the charset of header bytes beyond ASCII if no part names one; the whole message indicates it better than a
/// subject.
fn likely_charset(header: &[u8], raw: &[u8]) -> Option<String> {
    std::str::from_utf8(header).is_err().then(|| charset::detect(raw)).flatten().map(str::to_owned)
}

fn highest_confidence(codes: &[ExtractedCode]) -> Option<u8> {
    codes.first().map(|code| code.confidence)
}

/// Returns the preview without link targets, which would fill that of many newsletters.
fn preview_of(mail: &ParsedMail, text_is_derived: bool) -> Option<String> {
    let line = match &mail.extracted_html {
        Some(html) if text_is_derived => preview(&html::words_from_html(html, MAX_PREVIEW_SOURCE_BYTES)),
        _ => preview(mail.extracted_text.as_deref()?),
    };
    Some(line).filter(|line| !line.is_empty())
}
