//! Taking new messages into the index.

use crate::Error;
use crate::app::App;
use crate::ports::IndexedInbox;

/// Takes some of the messages of an inbox into the index behind searches, where enough of them wait. Answers whether there
/// may be more.
///
/// # Errors
/// [`Error::Store`].
pub async fn index_some(app: &App, inbox: &IndexedInbox) -> Result<bool, Error> {
    Ok(app.store.index_some(inbox, app.random.uuid_at(app.clock.now())).await?)
}

/// Up to `limit` inboxes in which enough messages wait, behind this one in an order of their own.
///
/// # Errors
/// [`Error::Store`].
pub async fn inboxes_to_index(app: &App, after: Option<&IndexedInbox>, limit: u32) -> Result<Vec<IndexedInbox>, Error> {
    Ok(app.store.inboxes_to_index(after.cloned(), limit).await?)
}
