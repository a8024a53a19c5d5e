//! Addition of new messages to the search index.

use crate::Error;
use crate::app::App;
use crate::ports::IndexedInbox;

/// Indexes some of an inbox's new messages, if enough of them are waiting. Returns whether more may be waiting.
///
/// # Errors
/// [`Error::Store`].
pub async fn index_some(app: &App, inbox: &IndexedInbox) -> Result<bool, Error> {
    Ok(app.store.index_some(inbox, app.random.uuid_at(app.clock.now())).await?)
}

/// Returns up to `limit` inboxes with enough waiting messages. They follow `after` in a fixed order.
///
/// # Errors
/// [`Error::Store`].
pub async fn inboxes_to_index(app: &App, after: Option<&IndexedInbox>, limit: u32) -> Result<Vec<IndexedInbox>, Error> {
    Ok(app.store.inboxes_to_index(after.cloned(), limit).await?)
}
