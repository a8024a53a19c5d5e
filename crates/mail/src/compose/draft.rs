//! Author-controlled fields of a message, validated before composition.

use super::composition::Composition;
use super::error::ComposeError;
use super::validate;
use crate::address::Mailbox;

/// Author-controlled part of a message; the attachment bytes may be stored elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftFields<'a> {
    /// Addresses for replies.
    pub reply_to: &'a [Mailbox],
    /// Recipients.
    pub to: &'a [Mailbox],
    /// Copy recipients.
    pub cc: &'a [Mailbox],
    /// Subject.
    pub subject: Option<&'a str>,
    /// Plain text body.
    pub text: Option<&'a str>,
    /// HTML body.
    pub html: Option<&'a str>,
    /// Additional header fields.
    pub headers: &'a [(String, String)],
    /// Attachments, in order.
    pub attachments: Vec<AttachmentFields<'a>>,
}

/// Header properties of an attachment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AttachmentFields<'a> {
    /// File name.
    pub filename: Option<&'a str>,
    /// `type/subtype`.
    pub content_type: Option<&'a str>,
    /// Name that `cid:` links use.
    pub content_id: Option<&'a str>,
}

impl DraftFields<'_> {
    /// Returns all errors for which [`super::compose`] would reject the message.
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
