//! Composition of an outgoing message.

use inboxd_mail::{AttachmentPart, Composition, Disposition, EmailAddress, ParsedMail, compose, parse};
use time::OffsetDateTime;

use super::Place;
use super::content::ContentFacts;
use super::fetched::{FetchOrder, FetchPurpose, FetchShare, fetch, require_fetchable};
use super::stored_files::read_files;
use crate::app::App;
use crate::app::letter::{AttachmentSource, Letter, LetterAttachment, MAX_SENT_ATTACHMENT_BYTES};
use crate::model::{Caller, Inbox, MessageId};
use crate::ports::WorkOwner;
use crate::rules::loops;
use crate::{Error, FieldError};

/// Composes a message and parses the result. No unit of work is open, because attachments may have to be fetched from
/// the network.
pub(super) async fn write(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    recipients: &[EmailAddress],
    place: &Place,
    (message_id, now): (&MessageId, OffsetDateTime),
) -> Result<(Vec<u8>, ParsedMail, ContentFacts, FetchShare), Error> {
    let from = inbox.mailbox().ok_or_else(|| Error::Internal(format!("{} is no address", inbox.inbox_id)))?;
    let author = place.author.as_ref().unwrap_or(&caller.actor);
    let order = sent_fetch(caller, inbox, place);
    let (attachments, held) = read_attachments(app, &order, letter.attachments).await?;
    let composition = Composition {
        from,
        reply_to: letter.reply_to,
        to: letter.to,
        cc: letter.cc,
        subject: letter.subject,
        text: letter.text,
        html: letter.html,
        calendar: letter.calendar,
        attachments,
        headers: letter.headers,
        message_id: message_id.as_str().to_owned(),
        in_reply_to: place.in_reply_to.as_ref().map(|id| id.as_str().to_owned()),
        references: place.references.iter().map(|id| id.as_str().to_owned()).collect(),
        date: now.unix_timestamp(),
        // A member composes messages by hand, so these are not marked as automatic.
        auto_submitted: loops::applies_to(author),
    };
    let limit = app.settings.max_message_bytes;
    let bytes = content_bytes(&composition);
    let recipients = recipients.to_vec();
    let written = move || -> Result<_, Error> {
        let mail = compose(&composition)?;
        if mail.len() > limit {
            return Err(Error::TooLarge { size: mail.len(), limit });
        }
        let parsed = parse(&mail);
        let content = ContentFacts::of(&mail, &parsed, &recipients);
        Ok((mail, parsed, content))
    };
    let (mail, parsed, content) = app.compute(WorkOwner::Organization(inbox.organization_id), bytes, written).await??;
    Ok((mail, parsed, content, held))
}

/// Returns the number of content bytes of a composition.
fn content_bytes(composition: &Composition) -> usize {
    let texts = [&composition.text, &composition.html].into_iter().flatten().map(String::len);
    let texts = texts.chain(composition.calendar.iter().map(|calendar| calendar.content.len()));
    texts.chain(composition.attachments.iter().map(|attachment| attachment.content.len())).sum()
}

/// Returns the order to fetch the attachments of a message to send.
pub(super) fn sent_fetch<'a>(caller: &'a Caller, inbox: &'a Inbox, place: &'a Place) -> FetchOrder<'a> {
    let author = place.author.as_ref().unwrap_or(&caller.actor);
    let (purpose, field) = (FetchPurpose::Send, "attachments");
    FetchOrder { caller, author, inbox, purpose, field, thread_id: place.thread_id }
}

/// Reads the content of attachments: of stored files, and of those given by URL, if the policies permit it. An error names
/// the field of the attachment. The bytes count until the share is dropped.
pub(in crate::app) async fn read_attachments(
    app: &App,
    order: &FetchOrder<'_>,
    attachments: Vec<LetterAttachment>,
) -> Result<(Vec<AttachmentPart>, FetchShare), Error> {
    let FetchOrder { inbox, purpose, field, .. } = *order;
    let mut urls = Vec::new();
    let (files, mut held) = read_files(app, order, &attachments).await?;
    let mut room = app.settings.max_message_bytes;
    for (_, content) in &files {
        room = room.saturating_sub(content.len());
    }
    for attachment in &attachments {
        match &attachment.source {
            AttachmentSource::Content(content) => room = room.saturating_sub(content.len()),
            AttachmentSource::Url(url) => urls.push(url.clone()),
            AttachmentSource::File(_) => {}
        }
    }
    let mut fetched = Vec::new().into_iter();
    if !urls.is_empty() {
        require_fetchable(app, order, &attachments).await?;
        let (read, share) = fetch(app, inbox.organization_id, purpose, &urls, MAX_SENT_ATTACHMENT_BYTES, room).await?;
        held.0.extend(share.0);
        fetched = read.into_iter();
    }
    let mut files = files.into_iter();
    let mut parts = Vec::with_capacity(attachments.len());
    let mut problems = Vec::new();
    for (place, attachment) in attachments.into_iter().enumerate() {
        let (content, found_type, found_name) = match attachment.source {
            AttachmentSource::Content(content) => (content, None, None),
            AttachmentSource::File(_) => match files.next() {
                Some((file, content)) => {
                    let name = file.name().to_owned();
                    (content, Some(file.content_type), Some(name))
                }
                None => return Err(Error::Internal("a file was not read".to_owned())),
            },
            AttachmentSource::Url(_) => match fetched.next() {
                Some(Ok(fetched)) => (fetched.content, fetched.content_type, None),
                Some(Err(error)) => {
                    problems.push(FieldError::new(format!("{field}[{place}].url"), error.to_string()));
                    continue;
                }
                None => return Err(Error::Internal("a URL was not read".to_owned())),
            },
        };
        parts.push(AttachmentPart {
            filename: attachment.filename.or(found_name),
            content_type: attachment.content_type.or(found_type),
            disposition: attachment.content_disposition.unwrap_or(Disposition::Attachment),
            content_id: attachment.content_id,
            content,
        });
    }
    if problems.is_empty() { Ok((parts, held)) } else { Err(Error::Invalid(problems)) }
}
