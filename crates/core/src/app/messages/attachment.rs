//! Lookup of an attachment of a message.

use super::get;
use crate::app::downloads::{self, AttachedFile, StoredAttachment, extract};
use crate::app::{App, inboxes};
use crate::model::{AttachmentId, Caller, InboxId, MessageId, Permission};
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
    downloads::find_attachment(get::item(app, caller, inbox_id, message_id).await?, attachment_id)
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
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageRead)?;
    inboxes::find(app, caller, inbox_id).await?;
    read(app, caller, inbox_id, message_id, attachment_id).await
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
    extract(app, source, attachment_id).await
}
