//! Counts of unread threads.

use crate::Error;
use crate::app::App;
use crate::model::permissions::MessageRead;
use crate::model::{Inbox, InboxId};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;

/// Count at which the counting of an inbox stops, so that a full inbox costs no more than others.
pub const MAX_UNREAD_COUNT: u32 = 100;

/// Returns the number of visible threads with unread messages of each of these inboxes, up to [`MAX_UNREAD_COUNT`], in
/// the same order.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::PodOutOfScope`].
pub async fn unread(app: &App, caller: &AuthorizedCaller<MessageRead>, inboxes: &[Inbox]) -> Result<Vec<u64>, Error> {
    for inbox in inboxes {
        access::require_inbox(caller, &inbox.inbox_id)?;
        access::require_pod(caller, inbox)?;
    }
    if inboxes.is_empty() {
        return Ok(Vec::new());
    }
    let inbox_ids: Vec<InboxId> = inboxes.iter().map(|inbox| inbox.inbox_id.clone()).collect();
    Ok(app.store.unread_threads(caller.organization.organization_id, &inbox_ids, MAX_UNREAD_COUNT).await?)
}
