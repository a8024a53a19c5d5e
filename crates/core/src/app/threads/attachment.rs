//! Read of an attachment of a thread.

use super::inbox::inbox_of;
use crate::app::attachment_text::{self, AttachedText};
use crate::app::downloads::{self, AttachedFile, StoredAttachment};
use crate::app::{App, messages, reads};
use crate::model::permissions::MessageRead;
use crate::model::{AttachmentId, InboxId, ReadPart, ThreadId};
use crate::ports::TextFormat;
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Returns an attachment of any message of a thread without its content, and the inbox of the thread.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn find_attachment(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    thread_id: ThreadId,
    attachment_id: AttachmentId,
) -> Result<(InboxId, StoredAttachment), Error> {
    let inbox_id = inbox_of(app, caller, thread_id).await?.inbox_id;
    let organization_id = caller.organization.organization_id;
    let readable = access::readable(caller);
    let item = app.store.item_with_attachment(organization_id, &inbox_id, thread_id, attachment_id, readable).await?;
    let item = item.ok_or_else(|| Error::not_found(Resource::Attachment, attachment_id))?;
    reads::note(app, caller, &item, ReadPart::Attachment);
    Ok((inbox_id, downloads::find_attachment(item, attachment_id)?))
}

/// Returns an attachment of any message of a thread with its content.
///
/// # Errors
/// The errors of [`find_attachment`], and those of reading the content.
pub async fn attachment(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    thread_id: ThreadId,
    attachment_id: AttachmentId,
) -> Result<AttachedFile, Error> {
    let (inbox_id, found) = find_attachment(app, caller, thread_id, attachment_id).await?;
    messages::read_attachment(app, caller, &inbox_id, &found.message_id, attachment_id).await
}

/// Returns the text of an attachment of any message of a thread.
///
/// # Errors
/// As [`attachment`], and [`Error::AttachmentText`].
pub async fn attachment_text(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    thread_id: ThreadId,
    attachment_id: AttachmentId,
    format: TextFormat,
) -> Result<AttachedText, Error> {
    let _extraction = app.waiting.text_extractions.acquire(caller.organization.organization_id).await?;
    let file = attachment(app, caller, thread_id, attachment_id).await?;
    attachment_text::extract(app, file, format).await
}
