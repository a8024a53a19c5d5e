//! Refusing what must not reach the wire.

use super::draft::{AttachmentFields, Draft};
use super::{ComposeError, ComposeErrors, Composition};
use crate::address::Mailbox;
use crate::message_id::normalize_message_id;
use crate::wire::params::Parameterized;
use crate::wire::tokens::{is_content_id, is_media_type, is_token};

/// The most octets of one header value.
const MAX_VALUE: usize = 16 * 1024;
/// The most octets of a header name; the colon still stands within 78 columns.
const MAX_NAME: usize = 76;

/// Fields that callers may not set, beside everything that starts with `Content-` or `Resent-`: the service writes them, or
/// servers and clients answer to the addresses in them.
const RESERVED: &[&str] = &[
    "from",
    "to",
    "cc",
    "bcc",
    "subject",
    "date",
    "message-id",
    "in-reply-to",
    "references",
    "reply-to",
    "sender",
    "mime-version",
    "received",
    "return-path",
    "dkim-signature",
    "auto-submitted",
    "authentication-results",
    "received-spf",
    "arc-seal",
    "arc-message-signature",
    "arc-authentication-results",
    "delivered-to",
    "x-original-to",
    "envelope-to",
    "x-inboxd-trace",
    "errors-to",
    "disposition-notification-to",
    "return-receipt-to",
    "x-confirm-reading-to",
    "apparently-to",
    "x-originating-ip",
];

/// The identifiers in their one form, checked.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) message_id: String,
    pub(crate) in_reply_to: Option<String>,
    pub(crate) references: Vec<String>,
}

/// The identifiers of a mail that can be written, or everything that is wrong with it.
pub(crate) fn check(mail: &Composition) -> Result<Checked, ComposeErrors> {
    let mut problems = Vec::new();
    name(&mail.from, || "from".to_owned(), &mut problems);
    problems.extend(draft(&Draft::from(mail)));
    let mut id = |given: &str, field: String| match identifier(given, field) {
        Ok(id) => id,
        Err(problem) => {
            problems.push(problem);
            String::new()
        }
    };
    let references = mail.references.iter().enumerate();
    let checked = Checked {
        message_id: id(&mail.message_id, "message_id".to_owned()),
        in_reply_to: mail.in_reply_to.as_deref().map(|given| id(given, "in_reply_to".to_owned())),
        references: references.map(|(at, given)| id(given, format!("references[{at}]"))).collect(),
    };
    if problems.is_empty() { Ok(checked) } else { Err(ComposeErrors(problems)) }
}

/// Everything that is wrong with a draft.
pub(super) fn draft(draft: &Draft<'_>) -> Vec<ComposeError> {
    let mut problems = Vec::new();
    for (field, list) in [("reply_to", draft.reply_to), ("to", draft.to), ("cc", draft.cc)] {
        for (at, mailbox) in list.iter().enumerate() {
            name(mailbox, || format!("{field}[{at}]"), &mut problems);
        }
    }
    if let Some(subject) = draft.subject {
        problems.extend(value(subject, || "subject".to_owned()).err());
    }
    for (field, body) in [("text", draft.text), ("html", draft.html)] {
        if body.is_some_and(|body| body.contains('\0')) {
            problems.push(ComposeError::NulInBody { field: field.to_owned() });
        }
    }
    for (name, text) in draft.headers {
        problems.extend(header_name(name).and_then(|()| value(text, || header_field(name))).err());
    }
    for (at, part) in draft.attachments.iter().enumerate() {
        attachment(part, at, &mut problems);
    }
    problems
}

fn identifier(given: &str, field: String) -> Result<String, ComposeError> {
    value(given, || field.clone())?;
    normalize_message_id(given).ok_or(ComposeError::InvalidMessageId { field })
}

fn name(mailbox: &Mailbox, field: impl Fn() -> String, problems: &mut Vec<ComposeError>) {
    problems.extend(mailbox.name.as_deref().and_then(|name| value(name, field).err()));
}

fn value(text: &str, field: impl Fn() -> String) -> Result<(), ComposeError> {
    if text.contains(['\r', '\n', '\0']) {
        return Err(ComposeError::HeaderInjection { field: field() });
    }
    if text.len() > MAX_VALUE {
        return Err(ComposeError::TooLong { field: field(), limit: MAX_VALUE });
    }
    Ok(())
}

/// Where a further field stands: it is known by its name.
fn header_field(name: &str) -> String {
    format!("headers.{}", crate::clean::truncate(name, MAX_NAME))
}

fn header_name(name: &str) -> Result<(), ComposeError> {
    let field = header_field(name);
    if name.contains(['\r', '\n', '\0']) {
        return Err(ComposeError::HeaderInjection { field });
    }
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic() && b != b':');
    if !is_name || name.len() > MAX_NAME {
        let name = crate::clean::truncate(name, MAX_NAME).to_owned();
        return Err(ComposeError::InvalidHeaderName { field, name });
    }
    let lower = name.to_ascii_lowercase();
    let is_reserved =
        RESERVED.contains(&lower.as_str()) || ["content-", "resent-"].iter().any(|prefix| lower.starts_with(prefix));
    if is_reserved {
        let name = name.to_owned();
        return Err(ComposeError::ReservedHeader { field, name });
    }
    Ok(())
}

fn attachment(part: &AttachmentFields<'_>, at: usize, problems: &mut Vec<ComposeError>) {
    if let Some(filename) = part.filename {
        problems.extend(value(filename, || format!("attachments[{at}].filename")).err());
    }
    if let Some(given) = part.content_type {
        problems.extend(content_type(given, || format!("attachments[{at}].content_type")).err());
    }
    if let Some(given) = part.content_id {
        problems.extend(content_id(given, || format!("attachments[{at}].content_id")).err());
    }
}

fn content_type(given: &str, field: impl Fn() -> String) -> Result<(), ComposeError> {
    value(given, &field)?;
    if is_content_type(given) { Ok(()) } else { Err(ComposeError::InvalidContentType { field: field() }) }
}

fn content_id(given: &str, field: impl Fn() -> String) -> Result<(), ComposeError> {
    value(given, &field)?;
    if is_content_id(bare_content_id(given)) { Ok(()) } else { Err(ComposeError::InvalidContentId { field: field() }) }
}

/// The id without the one pair of brackets it may come in.
pub(crate) fn bare_content_id(id: &str) -> &str {
    let id = id.trim();
    id.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(id)
}

fn is_content_type(text: &str) -> bool {
    let media = text.split(';').next().unwrap_or_default().trim();
    is_media_type(media) && Parameterized::parse(text).written.iter().all(|(name, _)| is_token(name))
}
