//! Writing the mail of a letter.

use inboxd_mail::{AttachmentPart, Composition, Disposition, ParsedMail, compose, parse};
use time::OffsetDateTime;

use super::Place;
use crate::app::App;
use crate::app::letter::{AttachmentSource, LARGEST_ATTACHMENT, Letter, LetterAttachment};
use crate::model::{Caller, Inbox, MessageId};
use crate::rules::loops;
use crate::{Error, FieldError};

/// Composes the mail, and parses what was composed. Nothing is stored yet, for an attachment may have to be read from the
/// network.
pub(super) async fn write(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: &Place,
    message_id: &MessageId,
    now: OffsetDateTime,
) -> Result<(Vec<u8>, ParsedMail), Error> {
    let from = inbox.mailbox().ok_or_else(|| Error::Internal(format!("{} is no address", inbox.inbox_id)))?;
    let composition = Composition {
        from,
        reply_to: letter.reply_to,
        to: letter.to,
        cc: letter.cc,
        subject: letter.subject,
        text: letter.text,
        html: letter.html,
        attachments: read_attachments(app, "attachments", letter.attachments).await?,
        headers: letter.headers,
        message_id: message_id.as_str().to_owned(),
        in_reply_to: place.in_reply_to.as_ref().map(|id| id.as_str().to_owned()),
        references: place.references.iter().map(|id| id.as_str().to_owned()).collect(),
        date: now.unix_timestamp(),
        // People write by hand.
        auto_submitted: loops::applies_to(&caller.actor),
    };
    let limit = app.settings.max_message_bytes;
    let bytes = content_bytes(&composition);
    let written = move || -> Result<_, Error> {
        let mail = compose(&composition)?;
        if mail.len() > limit {
            return Err(Error::TooLarge { size: mail.len(), limit });
        }
        let parsed = parse(&mail);
        Ok((mail, parsed))
    };
    app.compute(bytes, written).await?
}

/// How many bytes there are to compose a mail of.
fn content_bytes(composition: &Composition) -> usize {
    let texts = [&composition.text, &composition.html].into_iter().flatten().map(String::len);
    texts.chain(composition.attachments.iter().map(|attachment| attachment.content.len())).sum()
}

/// Reads the octets of attachments, from the network where they are named by URL. A problem names the field.
pub(in crate::app) async fn read_attachments(
    app: &App,
    field: &str,
    attachments: Vec<LetterAttachment>,
) -> Result<Vec<AttachmentPart>, Error> {
    let mut parts = Vec::with_capacity(attachments.len());
    let mut problems = Vec::new();
    let mut room = app.settings.max_message_bytes;
    for (place, attachment) in attachments.into_iter().enumerate() {
        let (content, found_type) = match attachment.source {
            AttachmentSource::Content(content) => (content, None),
            AttachmentSource::Url(url) => match app.fetch.get(&url, LARGEST_ATTACHMENT.min(room)).await {
                Ok(fetched) => (fetched.content, fetched.content_type),
                Err(error) => {
                    problems.push(FieldError::new(format!("{field}[{place}].url"), error.to_string()));
                    continue;
                }
            },
        };
        room = room.saturating_sub(content.len());
        parts.push(AttachmentPart {
            filename: attachment.filename,
            content_type: attachment.content_type.or(found_type),
            disposition: attachment.content_disposition.unwrap_or(Disposition::Attachment),
            content_id: attachment.content_id,
            content,
        });
    }
    if problems.is_empty() { Ok(parts) } else { Err(Error::Invalid(problems)) }
}
