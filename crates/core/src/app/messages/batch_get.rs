//! Reading many messages at once.

use crate::Error;
use crate::app::{App, inboxes};
use crate::model::{Caller, InboxId, Message, MessageId, Permission};
use crate::rules::access;

/// The most ids of one call (`wire.md`, section 3, Message item).
pub const MOST_IN_BATCH_GET: usize = 500;

/// Reads messages with their bodies, newest first; unknown ids are skipped.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::Invalid`], [`Error::NotFound`] for the inbox.
pub async fn batch_get(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_ids: &[MessageId],
) -> Result<Vec<Message>, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageRead)?;
    check_ids(message_ids, MOST_IN_BATCH_GET)?;
    inboxes::find(app, caller, inbox_id).await?;
    let organization_id = caller.organization.organization_id;
    Ok(app.store.messages(organization_id, inbox_id, message_ids, access::readable(caller)).await?)
}

pub(super) fn check_ids(message_ids: &[MessageId], most: usize) -> Result<(), Error> {
    let bad = |message: String| Err(Error::invalid("message_ids", message));
    if message_ids.is_empty() || message_ids.len() > most {
        return bad(format!("1 to {most} message ids are needed"));
    }
    let distinct: std::collections::BTreeSet<_> = message_ids.iter().collect();
    if distinct.len() < message_ids.len() {
        return bad("a message id stands there twice".to_owned());
    }
    Ok(())
}
