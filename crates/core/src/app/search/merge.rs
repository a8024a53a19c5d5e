//! Merge of the index segments of an inbox.

use crate::Error;
use crate::app::App;
use crate::ports::IndexedInbox;

/// Merges segments of an inbox into one, if there are too many, and pauses for `rest` times the duration of its work.
/// Returns whether more work may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn merge_some(app: &App, inbox: &IndexedInbox, rest: u32) -> Result<bool, Error> {
    Ok(app.store.merge_some(inbox, app.random.uuid_at(app.clock.now()), rest).await?)
}
