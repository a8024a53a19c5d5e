//! What a caller wants to send, and what can be said of it before anything is looked up.

use inboxd_mail::{AttachmentFields, Disposition, DraftFields, EmailAddress, Mailbox};

use super::ingest::MOST_ATTACHMENTS;
use crate::model::Labels;
use crate::rules::{labels, recipients};
use crate::{Error, FieldError};

/// The largest attachment, in octets (`service.md`, section 8, rule 6).
pub(crate) const LARGEST_ATTACHMENT: usize = 25 * 1_000_000;

/// The most attachments that are read from URLs for one mail.
const MOST_FETCHED: usize = 20;

/// What a caller wants to send.
#[derive(Debug, Clone, Default)]
pub struct Letter {
    /// The recipients in To.
    pub to: Vec<Mailbox>,
    /// The recipients in Cc.
    pub cc: Vec<Mailbox>,
    /// The recipients that no field names.
    pub bcc: Vec<Mailbox>,
    /// Where answers go, if not to the inbox.
    pub reply_to: Vec<Mailbox>,
    /// The subject.
    pub subject: Option<String>,
    /// The text.
    pub text: Option<String>,
    /// The HTML.
    pub html: Option<String>,
    /// The attachments.
    pub attachments: Vec<LetterAttachment>,
    /// More header fields.
    pub headers: Vec<(String, String)>,
    /// Labels of the stored message.
    pub labels: Vec<String>,
    /// Whether a key may answer an automatic message with it; otherwise that is [refused](crate::Error::AutomaticMessage).
    pub allow_automatic: bool,
}

/// An attachment of a letter.
#[derive(Debug, Clone)]
pub struct LetterAttachment {
    /// Its file name.
    pub filename: Option<String>,
    /// Its media type.
    pub content_type: Option<String>,
    /// Whether it is shown within the text.
    pub content_disposition: Option<Disposition>,
    /// The id by which the HTML names it.
    pub content_id: Option<String>,
    /// Its octets, or where they are.
    pub source: AttachmentSource,
}

/// Where the octets of an attachment come from.
#[derive(Debug, Clone)]
pub enum AttachmentSource {
    /// They are here.
    Content(Vec<u8>),
    /// They are read from a URL before the mail is sent.
    Url(String),
}

/// Everything that is wrong with a letter by itself.
#[must_use]
pub fn problems_of_letter(letter: &Letter) -> Vec<FieldError> {
    let recipients = recipients::unique_recipients(&letter.to, &letter.cc, &letter.bcc);
    recipients.err().into_iter().chain(problems_of_content(letter)).collect()
}

/// Everything that is wrong with an answer by itself: it may leave its recipients to the message that it answers.
#[must_use]
pub fn problems_of_answer(letter: &Letter) -> Vec<FieldError> {
    let names_nobody = letter.to.is_empty() && letter.cc.is_empty() && letter.bcc.is_empty();
    if names_nobody { problems_of_content(letter) } else { problems_of_letter(letter) }
}

/// The recipients that a letter names besides everyone whom it answers. Nobody is left out in silence, nor added.
#[must_use]
pub fn problems_beside_everyone(letter: &Letter) -> Vec<FieldError> {
    [("to", &letter.to), ("cc", &letter.cc), ("bcc", &letter.bcc)]
        .into_iter()
        .filter(|(_, named)| !named.is_empty())
        .map(|(path, _)| FieldError::new(path, "cannot stand beside reply_all, which says whom the answer goes to"))
        .collect()
}

/// The recipients and labels of a letter that can be sent.
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
    problems.extend(labels::for_sent_message(&letter.labels).err().into_iter().flatten());
    problems
}

/// Everything that is wrong with the attachments of a field.
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
    if attachments.iter().filter(is_fetched).count() > MOST_FETCHED {
        let message = format!("a message has at most {MOST_FETCHED} attachments by URL");
        problems.push(FieldError::new(field, message));
    }
    for (place, attachment) in attachments.iter().enumerate() {
        let is_large =
            matches!(&attachment.source, AttachmentSource::Content(content) if content.len() > LARGEST_ATTACHMENT);
        if is_large {
            problems.push(FieldError::new(format!("{field}[{place}]"), "an attachment has at most 25 MB"));
        }
    }
    problems
}

/// Checks how many attachments a mail has.
pub(super) fn check_number(field: &str, attachments: usize) -> Result<(), FieldError> {
    if attachments > MOST_ATTACHMENTS {
        return Err(FieldError::new(field, format!("a message has at most {MOST_ATTACHMENTS} attachments")));
    }
    Ok(())
}
