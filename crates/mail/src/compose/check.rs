//! Refusing what must not reach the wire.

use super::{AttachmentPart, ComposeError, Composition};
use crate::address::Mailbox;
use crate::message_id::normalize_message_id;
use crate::wire::params::Parameterized;

/// The most octets of one header value.
const MAX_VALUE: usize = 16 * 1024;
/// The most octets of a header name; the colon still stands within 78 columns.
const MAX_NAME: usize = 76;

/// Fields that are the service's to write, beside everything that starts with `Content-` or `Resent-`.
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
];

/// The identifiers in their one form, checked.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) message_id: String,
    pub(crate) in_reply_to: Option<String>,
    pub(crate) references: Vec<String>,
}

pub(crate) fn check(mail: &Composition) -> Result<Checked, ComposeError> {
    name(&mail.from, || "from".to_owned())?;
    for (field, list) in [("reply_to", &mail.reply_to), ("to", &mail.to), ("cc", &mail.cc)] {
        for (at, mailbox) in list.iter().enumerate() {
            name(mailbox, || format!("{field}[{at}]"))?;
        }
    }
    if let Some(subject) = &mail.subject {
        value(subject, || "subject".to_owned())?;
    }
    for (field, body) in [("text", &mail.text), ("html", &mail.html)] {
        if body.as_ref().is_some_and(|body| body.contains('\0')) {
            return Err(ComposeError::NulInBody { field: field.to_owned() });
        }
    }
    for (at, (name, text)) in mail.headers.iter().enumerate() {
        header_name(name, at)?;
        value(text, || format!("headers[{at}]"))?;
    }
    for (at, part) in mail.attachments.iter().enumerate() {
        attachment(part, at)?;
    }
    identifiers(mail)
}

fn identifiers(mail: &Composition) -> Result<Checked, ComposeError> {
    let id = |given: &str, field: String| {
        value(given, || field.clone())?;
        normalize_message_id(given).ok_or(ComposeError::InvalidMessageId { field })
    };
    let in_reply_to = mail.in_reply_to.as_deref().map(|given| id(given, "in_reply_to".to_owned()));
    let references = mail.references.iter().enumerate();
    Ok(Checked {
        message_id: id(&mail.message_id, "message_id".to_owned())?,
        in_reply_to: in_reply_to.transpose()?,
        references: references.map(|(at, given)| id(given, format!("references[{at}]"))).collect::<Result<_, _>>()?,
    })
}

fn name(mailbox: &Mailbox, field: impl Fn() -> String) -> Result<(), ComposeError> {
    mailbox.name.as_deref().map_or(Ok(()), |name| value(name, field))
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

fn header_name(name: &str, at: usize) -> Result<(), ComposeError> {
    let field = format!("headers[{at}]");
    if name.contains(['\r', '\n', '\0']) {
        return Err(ComposeError::HeaderInjection { field });
    }
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic() && b != b':');
    if !is_name || name.len() > MAX_NAME {
        let name = name.to_owned();
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

fn attachment(part: &AttachmentPart, at: usize) -> Result<(), ComposeError> {
    if let Some(filename) = &part.filename {
        value(filename, || format!("attachments[{at}].filename"))?;
    }
    if let Some(content_type) = &part.content_type {
        let field = || format!("attachments[{at}].content_type");
        value(content_type, field)?;
        if !is_content_type(content_type) {
            return Err(ComposeError::InvalidContentType { field: field() });
        }
    }
    if let Some(id) = &part.content_id {
        let field = || format!("attachments[{at}].content_id");
        value(id, field)?;
        let bare = bare_content_id(id);
        if bare.is_empty() || bare.len() > 500 || !bare.bytes().all(|b| b.is_ascii_graphic() && b != b'<' && b != b'>')
        {
            return Err(ComposeError::InvalidContentId { field: field() });
        }
    }
    Ok(())
}

/// The id without the one pair of brackets it may come in.
pub(crate) fn bare_content_id(id: &str) -> &str {
    let id = id.trim();
    id.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(id)
}

fn is_content_type(text: &str) -> bool {
    let parsed = Parameterized::parse(text);
    let media = text.split(';').next().unwrap_or_default().trim();
    let Some((kind, subtype)) = media.split_once('/') else {
        return false;
    };
    let parameters_are_tokens = parsed.written.iter().all(|(name, _)| is_token(name));
    is_token(kind)
        && is_token(subtype)
        && media.len() <= 127
        && !kind.eq_ignore_ascii_case("multipart")
        && parameters_are_tokens
}

/// A token of RFC 2045 section 5.1.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?=".contains(&b))
}
