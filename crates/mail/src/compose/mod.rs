//! Writing a mail.

mod body;
mod boundary;
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

pub use draft::{AttachmentFields, DraftFields};
pub use error::{ComposeError, ComposeErrors};
pub use trace::with_trace_headers;

use crate::address::Mailbox;
use crate::parse::Disposition;

/// The longest word of a field that is written as it is: behind the longest name it fits on a line (RFC 5322 section 2.1.1).
const MAX_PLAIN_WORD_BYTES: usize = 900;

/// What [`compose`] writes. Bcc is not in it: it is a matter of the envelope alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composition {
    /// Who writes.
    pub from: Mailbox,
    /// Where answers go, if not to `from`.
    pub reply_to: Vec<Mailbox>,
    /// The recipients.
    pub to: Vec<Mailbox>,
    /// Those who get a copy.
    pub cc: Vec<Mailbox>,
    /// The subject.
    pub subject: Option<String>,
    /// The plain text; line breaks of any kind.
    pub text: Option<String>,
    /// The HTML.
    pub html: Option<String>,
    /// The attachments, in order.
    pub attachments: Vec<AttachmentPart>,
    /// Further fields. Those that [`compose`] writes itself are refused.
    pub headers: Vec<(String, String)>,
    /// The Message-ID, with or without its brackets.
    pub message_id: String,
    /// The mail that is answered.
    pub in_reply_to: Option<String>,
    /// The thread so far, oldest first.
    pub references: Vec<String>,
    /// The Date field in Unix seconds.
    pub date: i64,
    /// Whether to say that no person wrote this (`Auto-Submitted: auto-generated`, RFC 3834).
    pub auto_submitted: bool,
}

impl Composition {
    /// An empty mail, to be filled in by struct update. Its date is 1970-01-01.
    #[must_use]
    pub fn new(from: Mailbox, message_id: String) -> Self {
        Self {
            from,
            reply_to: Vec::new(),
            to: Vec::new(),
            cc: Vec::new(),
            subject: None,
            text: None,
            html: None,
            attachments: Vec::new(),
            headers: Vec::new(),
            message_id,
            in_reply_to: None,
            references: Vec::new(),
            date: 0,
            auto_submitted: false,
        }
    }
}

/// An attachment to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentPart {
    /// The file name, in any script.
    pub filename: Option<String>,
    /// `type/subtype`, parameters allowed; `application/byte-stream` when absent. Not a multipart.
    pub content_type: Option<String>,
    /// Whether it belongs into the text. With a `content_id` and HTML it is sent along with the HTML.
    pub disposition: Disposition,
    /// The name that `cid:` links in the HTML use, with or without brackets.
    pub content_id: Option<String>,
    /// The octets.
    pub content: Vec<u8>,
}

/// Writes the mail: CRLF, lines of at most 998 octets, ASCII unless an address is not.
///
/// The same composition always gives the same octets.
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

/// Whether a value can stand as it is. Fields of callers may have a structure, as List-Unsubscribe has, which encoded words
/// would break; only what fits on no line, or would be read as something else, has to be encoded.
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

/// Identifiers, which are handed on without their brackets.
fn ids(ids: &[String]) -> MessageId<'_> {
    MessageId::new_list(ids.iter().map(|id| id.trim_start_matches('<').trim_end_matches('>')))
}
