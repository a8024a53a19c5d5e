//! Contacts: correspondents of an inbox.

mod count;
mod decide;
mod forget;
mod get;
mod list;

pub(super) use count::{key_of_sender, keys_of_claimed, of_received, of_sent, trim};
pub use decide::decide;
pub use forget::forget;
pub use get::get;
pub use list::list;

use inboxd_mail::EmailAddress;

use super::{App, scope};
use crate::model::{ContactKey, InboxId};
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Returns the key of the contact that a caller names.
async fn find_key<P>(
    app: &App,
    caller: &AuthorizedCaller<P>,
    inbox_id: &InboxId,
    address: &str,
) -> Result<ContactKey, Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let address: EmailAddress = address.parse().map_err(|_| missing(address))?;
    Ok(ContactKey { organization_id: inbox.organization_id, inbox_id: inbox.inbox_id, address: address.normalized() })
}

fn missing(address: &str) -> Error {
    Error::not_found(Resource::Contact, address)
}
