//! List of contacts.

use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::MessageRead;
use crate::model::{Contact, InboxId, Page, PageRequest};
use crate::ports::ContactQuery;
use crate::rules::authorization::AuthorizedCaller;

/// Lists the contacts of an inbox, the newest first.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    inbox_id: &InboxId,
    page: PageRequest,
) -> Result<Page<Contact>, Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let query = ContactQuery { organization_id: inbox.organization_id, inbox_id: inbox.inbox_id, page };
    Ok(app.store.list_contacts(&query).await?)
}
