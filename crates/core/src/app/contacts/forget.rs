//! Deletion of a contact.

use super::{find_key, missing};
use crate::Error;
use crate::app::App;
use crate::model::InboxId;
use crate::model::permissions::ListEntryDelete;
use crate::rules::authorization::AuthorizedCaller;

/// Deletes a contact with its decision and counts. Its next message is the first one again.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn forget(
    app: &App,
    caller: &AuthorizedCaller<ListEntryDelete>,
    inbox_id: &InboxId,
    address: &str,
) -> Result<(), Error> {
    let key = find_key(app, caller, inbox_id, address).await?;
    let mut tx = app.store.begin().await?;
    if !tx.contacts().delete(&key).await? {
        return Err(missing(address));
    }
    Ok(tx.commit().await?)
}
