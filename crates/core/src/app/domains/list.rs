//! Listing domains.

use crate::Error;
use crate::app::App;
use crate::model::{Caller, Domain, Page, PageRequest, Permission, Reach};
use crate::ports::DomainQuery;
use crate::rules::access;

/// Lists the domains that the caller reaches.
///
/// # Errors
/// [`Error::MissingPermission`].
pub async fn list(app: &App, caller: &Caller, page: PageRequest) -> Result<Page<Domain>, Error> {
    access::require(caller, Permission::DomainRead)?;
    let pod_id = match &caller.reach {
        Reach::Organization | Reach::Inboxes(_) => None,
        Reach::Pod(pod_id) | Reach::Inbox { pod_id, .. } => Some(*pod_id),
    };
    let organization_id = caller.organization.organization_id;
    Ok(app.store.list_domains(&DomainQuery { organization_id, pod_id, page }).await?)
}
