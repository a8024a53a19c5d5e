//! Composition of messages.

mod body;
mod boundary;
mod composition;
mod draft;
mod encoded;
mod error;
mod trace;
mod validate;

use mail_builder::headers::HeaderType;
use mail_builder::headers::address::Address;
use mail_builder::headers::date::Date;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::raw::Raw;
use mail_builder::headers::text::Text;

pub use composition::{AttachmentPart, CalendarPart, Composition};
pub use draft::{AttachmentFields, DraftFields};
pub use error::{ComposeError, ComposeErrors};
pub use trace::with_trace_headers;

use crate::address::Mailbox;

/// Maximum length in bytes of an unencoded word in a field. With the longest name before it, the word fits on a line
/// (RFC 5322, section 2.1.1).
const MAX_PLAIN_WORD_BYTES: usize = 900;

/// Serializes a message: CRLF, lines of at most 998 bytes, ASCII unless an address is not.
///
/// The same composition always produces the same bytes.
///
/// # Errors
///
/// Returns every invalid field.
pub fn compose(mail: &Composition) -> Result<Vec<u8>, ComposeErrors> {
    let checked = validate::validate_composition(mail)?;
    let mut out = Vec::new();
    field(&mut out, "From", address(std::slice::from_ref(&mail.from)));
    for (name, list) in [("Reply-To", &mail.reply_to), ("To", &mail.to), ("Cc", &mail.cc)] {
        if !list.is_empty() {
            field(&mut out, name, address(list));
        }
    }
    if let Some(subject) = &mail.subject {
        field(&mut out, "Subject", Text::new(subject.as_str()));
    }
    field(&mut out, "Date", Date::new(mail.date));
    field(&mut out, "Message-ID", ids(std::slice::from_ref(&checked.message_id)));
    if let Some(id) = checked.in_reply_to {
        field(&mut out, "In-Reply-To", ids(&[id]));
    }
    if !checked.references.is_empty() {
        field(&mut out, "References", ids(&checked.references));
    }
    if mail.auto_submitted {
        field(&mut out, "Auto-Submitted", Raw::new("auto-generated"));
    }
    for (name, value) in &mail.headers {
        if is_plain(value) {
            field(&mut out, name, Raw::new(value.as_str()));
        } else {
            field(&mut out, name, Text::new(value.as_str()));
        }
    }
    out.extend_from_slice(b"MIME-Version: 1.0\r\n");
    body::write(mail, &checked.message_id, &mut out);
    Ok(out)
}

fn field<'a>(out: &mut Vec<u8>, name: &str, value: impl Into<HeaderType<'a>>) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    body::write_value(&value.into(), name.len() + 2, out);
}

/// Returns true if a value needs no encoded words.
///
/// Fields of callers may have a structure, as List-Unsubscribe does, which encoded words would break. Only values that
/// exceed a line or would parse differently need encoding.
fn is_plain(value: &str) -> bool {
    let is_ascii = value.bytes().all(|b| matches!(b, b' '..=b'~'));
    is_ascii && !value.contains("=?") && value.split(' ').all(|word| word.len() <= MAX_PLAIN_WORD_BYTES)
}

fn address(list: &[Mailbox]) -> Address<'_> {
    let one = |mailbox: &Mailbox| {
        let name = mailbox.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
        Address::new_address(name.map(str::to_owned), mailbox.address.as_str().to_owned())
    };
    Address::new_list(list.iter().map(one).collect())
}

/// Formats identifiers; the builder expects them without brackets.
fn ids(ids: &[String]) -> MessageId<'_> {
    MessageId::new_list(ids.iter().map(|id| id.trim_start_matches('<').trim_end_matches('>')))
}
