//! Listing keys.

use crate::Error;
use crate::app::{App, inboxes};
use crate::model::{ApiKey, Caller, InboxId, Page, PageRequest, Permission, Reach};
use crate::ports::ApiKeyQuery;
use crate::rules::access;

/// Lists the keys within the caller's reach, or those of one inbox; revoked ones are not listed. To a member limited to
/// some inboxes it shows those of these inboxes.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::InboxOutOfScope`], [`Error::NotFound`] for the inbox.
pub async fn list(
    app: &App,
    caller: &Caller,
    inbox_id: Option<&InboxId>,
    page: PageRequest,
) -> Result<Page<ApiKey>, Error> {
    let inbox_id = match (inbox_id, &caller.reach) {
        (None, Reach::Inbox { inbox_id, .. }) => Some(inbox_id),
        (inbox_id, _) => inbox_id,
    };
    if let Some(inbox_id) = inbox_id {
        access::require_inbox(caller, inbox_id)?;
    }
    access::require(caller, Permission::ApiKeyRead)?;
    if let Some(inbox_id) = inbox_id {
        inboxes::find(app, caller, inbox_id).await?;
    }
    let (pod_id, among) = match (&caller.reach, inbox_id) {
        (Reach::Pod(pod_id), _) => (Some(*pod_id), None),
        (Reach::Inboxes(theirs), None) => (None, Some(theirs.clone())),
        _ => (None, None),
    };
    let organization_id = caller.organization.organization_id;
    let query = ApiKeyQuery { organization_id, pod_id, inbox_id: inbox_id.cloned(), among, page };
    Ok(app.store.list_api_keys(&query).await?)
}
