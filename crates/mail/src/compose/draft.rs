//! What its writer decides of a mail, to be checked before the mail can be written.

use super::validate;
use super::{ComposeError, Composition};
use crate::address::Mailbox;

/// A mail as far as its writer decides it; the octets of its attachments may still be elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftFields<'a> {
    /// Where answers go.
    pub reply_to: &'a [Mailbox],
    /// The recipients.
    pub to: &'a [Mailbox],
    /// Those who get a copy.
    pub cc: &'a [Mailbox],
    /// The subject.
    pub subject: Option<&'a str>,
    /// The plain text.
    pub text: Option<&'a str>,
    /// The HTML.
    pub html: Option<&'a str>,
    /// Further fields.
    pub headers: &'a [(String, String)],
    /// The attachments, in order.
    pub attachments: Vec<AttachmentFields<'a>>,
}

/// What is said of an attachment in its header.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AttachmentFields<'a> {
    /// The file name.
    pub filename: Option<&'a str>,
    /// `type/subtype`.
    pub content_type: Option<&'a str>,
    /// The name that `cid:` links use.
    pub content_id: Option<&'a str>,
}

impl DraftFields<'_> {
    /// Everything for which [`super::compose`] would refuse it.
    #[must_use]
    pub fn validate(&self) -> Vec<ComposeError> {
        validate::validate_draft(self)
    }
}

impl<'a> From<&'a Composition> for DraftFields<'a> {
    fn from(mail: &'a Composition) -> Self {
        let fields = mail.attachments.iter().map(|part| AttachmentFields {
            filename: part.filename.as_deref(),
            content_type: part.content_type.as_deref(),
            content_id: part.content_id.as_deref(),
        });
        Self {
            reply_to: &mail.reply_to,
            to: &mail.to,
            cc: &mail.cc,
            subject: mail.subject.as_deref(),
            text: mail.text.as_deref(),
            html: mail.html.as_deref(),
            headers: &mail.headers,
            attachments: fields.collect(),
        }
    }
}
