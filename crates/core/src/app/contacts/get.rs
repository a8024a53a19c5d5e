//! Lookup of one contact.

use super::{find_key, missing};
use crate::Error;
use crate::app::App;
use crate::model::permissions::MessageRead;
use crate::model::{Contact, InboxId};
use crate::rules::authorization::AuthorizedCaller;

/// Returns a contact of an inbox. Letter case of the address is ignored.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn get(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    inbox_id: &InboxId,
    address: &str,
) -> Result<Contact, Error> {
    let key = find_key(app, caller, inbox_id, address).await?;
    app.store.contact(&key).await?.ok_or_else(|| missing(address))
}
