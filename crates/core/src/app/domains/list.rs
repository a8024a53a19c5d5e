//! Listing domains.

use crate::Error;
use crate::app::App;
use crate::model::{Caller, Domain, Page, PageRequest, Permission, Reach};
use crate::ports::DomainQuery;
use crate::rules::access;

/// Lists the domains that the caller reaches; to a member limited to some inboxes, those of no pod and of the pods of these.
///
/// # Errors
/// [`Error::MissingPermission`].
pub async fn list(app: &App, caller: &Caller, page: PageRequest) -> Result<Page<Domain>, Error> {
    access::require(caller, Permission::DomainRead)?;
    let (pod_id, of_inboxes) = match &caller.reach {
        Reach::Organization => (None, None),
        Reach::Inboxes(theirs) => (None, Some(theirs.clone())),
        Reach::Pod(pod_id) | Reach::Inbox { pod_id, .. } => (Some(*pod_id), None),
    };
    let organization_id = caller.organization.organization_id;
    Ok(app.store.list_domains(&DomainQuery { organization_id, pod_id, of_inboxes, page }).await?)
}
