//! Facts about the senders of messages.

use crate::Error;
use crate::app::App;
use crate::model::{Caller, InboxId, MessageId, MessageTrust, Permission};
use crate::rules::access;

/// Returns the facts about the senders of messages that the caller has found, in no order. Those of deleted messages are
/// left out.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`].
pub async fn trust(app: &App, caller: &Caller, messages: &[(InboxId, MessageId)]) -> Result<Vec<MessageTrust>, Error> {
    for (inbox_id, _) in messages {
        access::require_inbox(caller, inbox_id)?;
    }
    access::require(caller, Permission::MessageRead)?;
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    let organization_id = caller.organization.organization_id;
    Ok(app.store.message_trust(organization_id, messages, access::readable(caller)).await?)
}
