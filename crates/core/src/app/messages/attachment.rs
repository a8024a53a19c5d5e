//! Reading an attachment of a message.

use super::get;
use crate::Error;
use crate::app::downloads::{AttachedFile, extract};
use crate::app::{App, inboxes};
use crate::model::{AttachmentId, Caller, InboxId, MessageId, Permission};
use crate::rules::access;

/// Reads an attachment with its octets.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
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
    let source = get::find_raw(app, caller, inbox_id, message_id).await?;
    extract(source, attachment_id)
}
