//! List of domains.

use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::DomainRead;
use crate::model::{Domain, Page, PageRequest, Reach};
use crate::ports::DomainQuery;
use crate::rules::authorization::AuthorizedCaller;

/// Lists the domains within the caller's reach.
///
/// A member limited to some inboxes sees the domains without a pod and those of the inboxes' pods.
///
/// # Errors
/// [`Error::MissingPermission`].
pub async fn list(app: &App, caller: &AuthorizedCaller<DomainRead>, page: PageRequest) -> Result<Page<Domain>, Error> {
    let (pod_id, of_inboxes) = match &scope::resolve(app, caller).await? {
        Reach::Organization => (None, None),
        Reach::Inboxes(theirs) => (None, Some(theirs.clone())),
        Reach::Pod(pod_id) | Reach::Inbox { pod_id, .. } => (Some(*pod_id), None),
    };
    let organization_id = caller.organization.organization_id;
    Ok(app.store.list_domains(&DomainQuery { organization_id, pod_id, of_inboxes, page }).await?)
}
