//! Outgoing message of a caller, and its validation without storage.

use inboxd_mail::{AttachmentFields, CalendarPart, Disposition, DraftFields, EmailAddress, Mailbox};

use super::drafts::SendTime;
use super::ingest::MAX_MESSAGE_ATTACHMENTS;
use crate::model::{FileId, Labels};
use crate::rules::{labels, recipients};
use crate::{Error, FieldError};

/// Maximum size of an attachment, in bytes (`service.md`, section 8, rule 6).
pub(crate) const MAX_SENT_ATTACHMENT_BYTES: usize = 25 * 1_000_000;

/// Maximum number of attachments by URL of one message.
const MAX_FETCHED_ATTACHMENTS: usize = 20;

/// An outgoing message as the caller requests it.
#[derive(Debug, Clone, Default)]
pub struct Letter {
    /// Recipients in `To`.
    pub to: Vec<Mailbox>,
    /// Recipients in `Cc`.
    pub cc: Vec<Mailbox>,
    /// Recipients of the envelope without a header field.
    pub bcc: Vec<Mailbox>,
    /// Addresses for replies; empty for the inbox.
    pub reply_to: Vec<Mailbox>,
    /// Subject.
    pub subject: Option<String>,
    /// Plain text body.
    pub text: Option<String>,
    /// HTML body.
    pub html: Option<String>,
    /// Calendar object as an alternative of the text.
    pub calendar: Option<CalendarPart>,
    /// Attachments.
    pub attachments: Vec<LetterAttachment>,
    /// Additional header fields.
    pub headers: Vec<(String, String)>,
    /// Labels of the stored message.
    pub labels: Vec<String>,
    /// Whether an API key may reply to an automatic message. Without it the reply is
    /// [refused](crate::LoopRefusal::Automatic).
    pub allow_automatic: bool,
    /// Whether a reply may go to another domain than that of an unknown sender. Without it such a reply is
    /// [refused](crate::LoopRefusal::ReplyToElsewhere).
    pub confirm_reply_to: bool,
    /// Time at which the message leaves; by default at once.
    pub time: SendTime,
}

/// An attachment of an outgoing message.
#[derive(Debug, Clone)]
pub struct LetterAttachment {
    /// File name.
    pub filename: Option<String>,
    /// Media type.
    pub content_type: Option<String>,
    /// Disposition: inline or attachment.
    pub content_disposition: Option<Disposition>,
    /// `Content-ID`, by which the HTML refers to the attachment.
    pub content_id: Option<String>,
    /// Source of the content.
    pub source: AttachmentSource,
}

impl Letter {
    /// Returns the message with empty attachments in place of those by URL; `None` if it has none by URL.
    pub(in crate::app) fn unfetched(&self) -> Option<Self> {
        let is_url = |attachment: &LetterAttachment| matches!(attachment.source, AttachmentSource::Url(_));
        if !self.attachments.iter().any(is_url) {
            return None;
        }
        let mut letter = self.clone();
        for attachment in letter.attachments.iter_mut().filter(|attachment| is_url(attachment)) {
            attachment.source = AttachmentSource::Content(Vec::new());
        }
        Some(letter)
    }
}

/// Source of the content of an attachment.
#[derive(Debug, Clone)]
pub enum AttachmentSource {
    /// Bytes of the request.
    Content(Vec<u8>),
    /// URL that is read before the message is sent.
    Url(String),
    /// Stored file of the inbox.
    File(FileId),
}

/// Validates the recipients and content of an outgoing message.
#[must_use]
pub fn problems_of_letter(letter: &Letter) -> Vec<FieldError> {
    let recipients = recipients::unique_recipients(&letter.to, &letter.cc, &letter.bcc);
    recipients.err().into_iter().chain(problems_of_content(letter)).collect()
}

/// Validates a reply. Without recipients it goes to those of the original message.
#[must_use]
pub fn problems_of_answer(letter: &Letter) -> Vec<FieldError> {
    let names_nobody = letter.to.is_empty() && letter.cc.is_empty() && letter.bcc.is_empty();
    if names_nobody { problems_of_content(letter) } else { problems_of_letter(letter) }
}

/// Refuses explicit recipients of a reply to all, so that no recipient is silently added or left out.
#[must_use]
pub fn problems_beside_everyone(letter: &Letter) -> Vec<FieldError> {
    [("to", &letter.to), ("cc", &letter.cc), ("bcc", &letter.bcc)]
        .into_iter()
        .filter(|(_, named)| !named.is_empty())
        .map(|(path, _)| FieldError::new(path, "cannot stand beside reply_all, which says whom the answer goes to"))
        .collect()
}

/// Validates an outgoing message and returns its recipients and labels.
pub(super) fn check(letter: &Letter) -> Result<(Vec<EmailAddress>, Labels), Error> {
    Error::unless_empty(problems_of_letter(letter))?;
    let recipients = recipients::unique_recipients(&letter.to, &letter.cc, &letter.bcc)?;
    Ok((recipients, labels::for_sent_message(&letter.labels)?))
}

fn problems_of_content(letter: &Letter) -> Vec<FieldError> {
    let draft = DraftFields {
        reply_to: &letter.reply_to,
        to: &letter.to,
        cc: &letter.cc,
        subject: letter.subject.as_deref(),
        text: letter.text.as_deref(),
        html: letter.html.as_deref(),
        headers: &letter.headers,
        attachments: Vec::new(),
    };
    let mut problems: Vec<FieldError> = draft.validate().into_iter().map(FieldError::from).collect();
    problems.extend(problems_of_attachments("attachments", &letter.attachments));
    problems.extend(letter.time.problem());
    problems.extend(labels::for_sent_message(&letter.labels).err().into_iter().flatten());
    problems
}

/// Validates the attachments of a field.
pub(super) fn problems_of_attachments(field: &str, attachments: &[LetterAttachment]) -> Vec<FieldError> {
    let fields = attachments.iter().map(|attachment| AttachmentFields {
        filename: attachment.filename.as_deref(),
        content_type: attachment.content_type.as_deref(),
        content_id: attachment.content_id.as_deref(),
    });
    let draft = DraftFields { attachments: fields.collect(), ..DraftFields::default() };
    let mut problems: Vec<FieldError> = draft.validate().into_iter().map(FieldError::from).collect();
    for problem in &mut problems {
        problem.path = problem.path.replacen("attachments", field, 1);
    }
    problems.extend(check_number(field, attachments.len()).err());
    let is_fetched = |attachment: &&LetterAttachment| matches!(attachment.source, AttachmentSource::Url(_));
    if attachments.iter().filter(is_fetched).count() > MAX_FETCHED_ATTACHMENTS {
        let message = format!("a message has at most {MAX_FETCHED_ATTACHMENTS} attachments by URL");
        problems.push(FieldError::new(field, message));
    }
    for (place, attachment) in attachments.iter().enumerate() {
        let is_large = matches!(&attachment.source, AttachmentSource::Content(content) if content.len() > MAX_SENT_ATTACHMENT_BYTES);
        if is_large {
            problems.push(FieldError::new(format!("{field}[{place}]"), "an attachment has at most 25 MB"));
        }
    }
    problems
}

/// Validates the number of attachments.
pub(super) fn check_number(field: &str, attachments: usize) -> Result<(), FieldError> {
    if attachments > MAX_MESSAGE_ATTACHMENTS {
        return Err(FieldError::new(field, format!("a message has at most {MAX_MESSAGE_ATTACHMENTS} attachments")));
    }
    Ok(())
}
