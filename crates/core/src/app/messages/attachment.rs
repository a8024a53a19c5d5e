//! Lookup of attachments of a message.

use super::get;
use crate::app::attachment_text::{self, AttachedText};
use crate::app::downloads::{self, AttachedFile, StoredAttachment, extract};
use crate::app::{App, reads};
use crate::model::{Attachment, AttachmentId, Caller, InboxId, MessageId, ReadPart};
use crate::ports::TextFormat;
use crate::rules::access;
use crate::{Error, Resource};

/// Returns the metadata of an attachment without its content.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn find_attachment(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    attachment_id: AttachmentId,
) -> Result<StoredAttachment, Error> {
    let item = get::item(app, caller, inbox_id, message_id).await?;
    let found = downloads::find_attachment(item.clone(), attachment_id)?;
    reads::note(app, caller, &item, ReadPart::Attachment);
    Ok(found)
}

/// Returns an attachment with its content.
///
/// # Errors
/// As [`find_attachment`].
pub async fn attachment(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    attachment_id: AttachmentId,
) -> Result<AttachedFile, Error> {
    get::require_readable_inbox(app, caller, inbox_id).await?;
    read(app, caller, inbox_id, message_id, attachment_id).await
}

/// Returns the text of an attachment.
///
/// # Errors
/// As [`find_attachment`], and [`Error::AttachmentText`].
pub async fn attachment_text(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    attachment_id: AttachmentId,
    format: TextFormat,
) -> Result<AttachedText, Error> {
    let _extraction = app.waiting.text_extractions.acquire(caller.organization.organization_id).await?;
    let file = attachment(app, caller, inbox_id, message_id, attachment_id).await?;
    attachment_text::extract(app, file, format).await
}

/// Returns the content of some attachments, from one read of the message. Ids that it does not have are left out.
///
/// # Errors
/// As [`find_attachment`].
pub async fn attachment_contents(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    attachment_ids: &[AttachmentId],
) -> Result<Vec<(AttachmentId, Vec<u8>)>, Error> {
    get::require_readable_inbox(app, caller, inbox_id).await?;
    let organization_id = caller.organization.organization_id;
    let _permit = app.waiting.large_reads.acquire(organization_id).await?;
    let source = get::find_raw(app, caller, inbox_id, message_id).await?;
    reads::note(app, caller, &source.item, ReadPart::Attachment);
    let named = |mut all: Vec<Attachment>| {
        all.retain(|attachment| attachment_ids.contains(&attachment.attachment_id));
        all
    };
    let files = downloads::contents(app, source, named).await?;
    Ok(files.into_iter().map(|file| (file.attachment.attachment_id, file.content)).collect())
}

/// Returns an attachment. The use case has already checked permission and inbox.
pub(in crate::app) async fn read(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    attachment_id: AttachmentId,
) -> Result<AttachedFile, Error> {
    let organization_id = caller.organization.organization_id;
    let _permit = app.waiting.large_reads.acquire(organization_id).await?;
    let source = app.store.raw_message(organization_id, inbox_id, message_id, access::readable(caller)).await?;
    let source = source.ok_or_else(|| Error::not_found(Resource::Message, message_id))?;
    let item = source.item.clone();
    let file = extract(app, source, attachment_id).await?;
    reads::note(app, caller, &item, ReadPart::Attachment);
    Ok(file)
}
