//! Making the index of an inbox one of few parts.

use crate::Error;
use crate::app::App;
use crate::ports::IndexedInbox;

/// Makes one part of the index of an inbox out of several, where there are too many, and rests `rest` times as long as it
/// works. Answers whether there may be more to do.
///
/// # Errors
/// [`Error::Store`].
pub async fn merge_some(app: &App, inbox: &IndexedInbox, rest: u32) -> Result<bool, Error> {
    Ok(app.store.merge_some(inbox, app.random.uuid_at(app.clock.now()), rest).await?)
}
