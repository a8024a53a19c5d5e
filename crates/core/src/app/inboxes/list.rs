//! List of inboxes.

use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::InboxRead;
use crate::model::{Inbox, Page, PageRequest, Reach};
use crate::ports::InboxQuery;
use crate::rules::authorization::AuthorizedCaller;

/// Lists the inboxes within the caller's reach.
///
/// # Errors
/// [`Error::MissingPermission`].
pub async fn list(app: &App, caller: &AuthorizedCaller<InboxRead>, page: PageRequest) -> Result<Page<Inbox>, Error> {
    let (pod_id, inbox_id, among) = match &scope::resolve(app, caller).await? {
        Reach::Organization => (None, None, None),
        Reach::Pod(pod_id) => (Some(*pod_id), None, None),
        Reach::Inbox { inbox_id, .. } => (None, Some(inbox_id.clone()), None),
        Reach::Inboxes(theirs) => (None, None, Some(theirs.clone())),
    };
    let organization_id = caller.organization.organization_id;
    Ok(app.store.list_inboxes(&InboxQuery { organization_id, pod_id, inbox_id, among, page }).await?)
}
