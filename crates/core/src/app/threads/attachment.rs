//! Reading an attachment of a thread.

use crate::app::downloads::{AttachedFile, extract};
use crate::app::{App, inboxes};
use crate::model::{AttachmentId, Caller, InboxId, Permission, ThreadId};
use crate::rules::access;
use crate::{Error, Resource};

/// Reads an attachment of any message of a thread with its octets.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn attachment(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    thread_id: ThreadId,
    attachment_id: AttachmentId,
) -> Result<AttachedFile, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageRead)?;
    inboxes::find(app, caller, inbox_id).await?;
    let organization_id = caller.organization.organization_id;
    let readable = access::readable(caller);
    let source = app
        .store
        .raw_message_with_attachment(organization_id, inbox_id, thread_id, attachment_id, readable)
        .await?
        .ok_or_else(|| Error::not_found(Resource::Attachment, attachment_id))?;
    extract(source, attachment_id)
}
