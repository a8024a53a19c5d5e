//! Reading an attachment of a thread.

use crate::app::downloads::{self, AttachedFile, StoredAttachment};
use crate::app::{App, inboxes, messages};
use crate::model::{AttachmentId, Caller, InboxId, Permission, ThreadId};
use crate::rules::access;
use crate::{Error, Resource};

/// Finds an attachment of any message of a thread without reading its content.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn find_attachment(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    thread_id: ThreadId,
    attachment_id: AttachmentId,
) -> Result<StoredAttachment, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageRead)?;
    inboxes::find(app, caller, inbox_id).await?;
    let organization_id = caller.organization.organization_id;
    let readable = access::readable(caller);
    let item = app.store.item_with_attachment(organization_id, inbox_id, thread_id, attachment_id, readable).await?;
    let item = item.ok_or_else(|| Error::not_found(Resource::Attachment, attachment_id))?;
    downloads::find_attachment(item, attachment_id)
}

/// Reads an attachment of any message of a thread with its content.
///
/// # Errors
/// As [`find_attachment`].
pub async fn attachment(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    thread_id: ThreadId,
    attachment_id: AttachmentId,
) -> Result<AttachedFile, Error> {
    let found = find_attachment(app, caller, inbox_id, thread_id, attachment_id).await?;
    messages::read_attachment(app, caller, inbox_id, &found.message_id, attachment_id).await
}
