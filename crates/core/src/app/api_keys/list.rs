//! List of API keys.

use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::ApiKeyRead;
use crate::model::{ApiKey, Page, PageRequest, Reach};
use crate::ports::ApiKeyQuery;
use crate::rules::authorization::AuthorizedCaller;

/// Lists the live keys within the scope of the call.
///
/// A member limited to some inboxes sees the keys of these inboxes.
///
/// # Errors
/// [`Error::NotFound`] for the pod or inbox, [`Error::PodOutOfScope`].
pub async fn list(app: &App, caller: &AuthorizedCaller<ApiKeyRead>, page: PageRequest) -> Result<Page<ApiKey>, Error> {
    let (pod_id, inbox_id, among) = match scope::resolve(app, caller).await? {
        Reach::Organization => (None, None, None),
        Reach::Pod(pod_id) => (Some(pod_id), None, None),
        Reach::Inbox { inbox_id, .. } => (None, Some(inbox_id), None),
        Reach::Inboxes(theirs) => (None, None, Some(theirs)),
    };
    let organization_id = caller.organization.organization_id;
    Ok(app.store.list_api_keys(&ApiKeyQuery { organization_id, pod_id, inbox_id, among, page }).await?)
}
