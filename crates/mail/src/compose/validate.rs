//! Validation of header values, bodies and attachments before composition.

use super::composition::Composition;
use super::draft::{AttachmentFields, DraftFields};
use super::error::{ComposeError, ComposeErrors};
use crate::address::Mailbox;
use crate::message_id::normalize_message_id;
use crate::wire::params::ParameterizedValue;
use crate::wire::tokens::{is_content_id, is_media_type, is_token};

/// Maximum length of one header value in bytes.
const MAX_HEADER_VALUE_BYTES: usize = 16 * 1024;
/// Maximum length of a header name in bytes; the colon still fits within 78 columns.
const MAX_HEADER_NAME_BYTES: usize = 76;

/// Header names that callers may not set, beside those that start with `Content-` or `Resent-`.
///
/// The service writes these fields itself, or servers and clients reply to the addresses in them.
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

/// Validated identifiers in normalized form.
#[derive(Debug)]
pub(crate) struct ValidatedIds {
    pub(crate) message_id: String,
    pub(crate) in_reply_to: Option<String>,
    pub(crate) references: Vec<String>,
}

/// Validates a message and returns its identifiers, or all errors.
pub(crate) fn validate_composition(mail: &Composition) -> Result<ValidatedIds, ComposeErrors> {
    let mut errors = Vec::new();
    validate_name(&mail.from, || "from".to_owned(), &mut errors);
    errors.extend(validate_draft(&DraftFields::from(mail)));
    let mut id = |given: &str, field: String| match normalize_identifier(given, field) {
        Ok(id) => id,
        Err(error) => {
            errors.push(error);
            String::new()
        }
    };
    let references = mail.references.iter().enumerate();
    let checked = ValidatedIds {
        message_id: id(&mail.message_id, "message_id".to_owned()),
        in_reply_to: mail.in_reply_to.as_deref().map(|given| id(given, "in_reply_to".to_owned())),
        references: references.map(|(at, given)| id(given, format!("references[{at}]"))).collect(),
    };
    if errors.is_empty() { Ok(checked) } else { Err(ComposeErrors(errors)) }
}

/// Validates the fields of a draft and returns all errors.
pub(super) fn validate_draft(draft: &DraftFields<'_>) -> Vec<ComposeError> {
    let mut errors = Vec::new();
    for (field, list) in [("reply_to", draft.reply_to), ("to", draft.to), ("cc", draft.cc)] {
        for (at, mailbox) in list.iter().enumerate() {
            validate_name(mailbox, || format!("{field}[{at}]"), &mut errors);
        }
    }
    if let Some(subject) = draft.subject {
        errors.extend(validate_value(subject, || "subject".to_owned()).err());
    }
    for (field, body) in [("text", draft.text), ("html", draft.html)] {
        if body.is_some_and(|body| body.contains('\0')) {
            errors.push(ComposeError::NulInBody { field: field.to_owned() });
        }
    }
    for (name, text) in draft.headers {
        errors.extend(validate_header_name(name).and_then(|()| validate_value(text, || header_field_path(name))).err());
    }
    for (at, part) in draft.attachments.iter().enumerate() {
        validate_attachment(part, at, &mut errors);
    }
    errors
}

fn normalize_identifier(given: &str, field: String) -> Result<String, ComposeError> {
    validate_value(given, || field.clone())?;
    normalize_message_id(given).ok_or(ComposeError::InvalidMessageId { field })
}

fn validate_name(mailbox: &Mailbox, field: impl Fn() -> String, errors: &mut Vec<ComposeError>) {
    errors.extend(mailbox.name.as_deref().and_then(|name| validate_value(name, field).err()));
}

fn validate_value(text: &str, field: impl Fn() -> String) -> Result<(), ComposeError> {
    if text.contains(['\r', '\n', '\0']) {
        return Err(ComposeError::HeaderInjection { field: field() });
    }
    if text.len() > MAX_HEADER_VALUE_BYTES {
        return Err(ComposeError::TooLong { field: field(), limit: MAX_HEADER_VALUE_BYTES });
    }
    Ok(())
}

/// Returns the path of an additional header field, which its name identifies.
fn header_field_path(name: &str) -> String {
    format!("headers.{}", crate::sanitize::truncate(name, MAX_HEADER_NAME_BYTES))
}

fn validate_header_name(name: &str) -> Result<(), ComposeError> {
    let field = header_field_path(name);
    if name.contains(['\r', '\n', '\0']) {
        return Err(ComposeError::HeaderInjection { field });
    }
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic() && b != b':');
    if !is_name || name.len() > MAX_HEADER_NAME_BYTES {
        let name = crate::sanitize::truncate(name, MAX_HEADER_NAME_BYTES).to_owned();
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

fn validate_attachment(part: &AttachmentFields<'_>, at: usize, errors: &mut Vec<ComposeError>) {
    if let Some(filename) = part.filename {
        errors.extend(validate_value(filename, || format!("attachments[{at}].filename")).err());
    }
    if let Some(given) = part.content_type {
        errors.extend(validate_content_type(given, || format!("attachments[{at}].content_type")).err());
    }
    if let Some(given) = part.content_id {
        errors.extend(validate_content_id(given, || format!("attachments[{at}].content_id")).err());
    }
}

fn validate_content_type(given: &str, field: impl Fn() -> String) -> Result<(), ComposeError> {
    validate_value(given, &field)?;
    if is_content_type(given) { Ok(()) } else { Err(ComposeError::InvalidContentType { field: field() }) }
}

fn validate_content_id(given: &str, field: impl Fn() -> String) -> Result<(), ComposeError> {
    validate_value(given, &field)?;
    if is_content_id(bare_content_id(given)) { Ok(()) } else { Err(ComposeError::InvalidContentId { field: field() }) }
}

/// Returns the id without one optional pair of brackets.
pub(crate) fn bare_content_id(id: &str) -> &str {
    let id = id.trim();
    id.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(id)
}

fn is_content_type(text: &str) -> bool {
    let media = text.split(';').next().unwrap_or_default().trim();
    is_media_type(media) && ParameterizedValue::parse(text).written.iter().all(|(name, _)| is_token(name))
}
