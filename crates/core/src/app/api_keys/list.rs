//! Listing keys.

use crate::Error;
use crate::app::{App, inboxes};
use crate::model::{ApiKey, Caller, InboxId, Page, PageRequest, Permission, Reach};
use crate::ports::ApiKeyQuery;
use crate::rules::access;

/// Lists the keys of the organization, or those of one inbox; revoked ones are not listed.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::InboxOutOfScope`], [`Error::InboxIdRequired`], [`Error::NotFound`] for the
/// inbox.
pub async fn list(
    app: &App,
    caller: &Caller,
    inbox_id: Option<&InboxId>,
    page: PageRequest,
) -> Result<Page<ApiKey>, Error> {
    let inbox_id = match (inbox_id, &caller.reach) {
        (None, Reach::Inbox { inbox_id, .. }) => Some(inbox_id),
        (None, Reach::Inboxes(theirs)) => Some(access::only(theirs)?),
        (inbox_id, _) => inbox_id,
    };
    if let Some(inbox_id) = inbox_id {
        access::require_inbox(caller, inbox_id)?;
    }
    access::require(caller, Permission::ApiKeyRead)?;
    if let Some(inbox_id) = inbox_id {
        inboxes::find(app, caller, inbox_id).await?;
    }
    let pod_id = match caller.reach {
        Reach::Pod(pod_id) => Some(pod_id),
        _ => None,
    };
    let query =
        ApiKeyQuery { organization_id: caller.organization.organization_id, pod_id, inbox_id: inbox_id.cloned(), page };
    Ok(app.store.list_api_keys(&query).await?)
}
