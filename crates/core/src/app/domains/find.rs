//! Lookup of one domain.

use crate::app::{App, pods, scope};
use crate::model::permissions::DomainRead;
use crate::model::{Caller, Domain, DomainId};
use crate::ports::Tx;
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::domains::inbox_domain_policy::{self, InboxDomainPolicy};
use crate::rules::domains::name;
use crate::{Error, Resource};

/// Returns a domain within the caller's scope.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn get(app: &App, caller: &AuthorizedCaller<DomainRead>, domain_id: DomainId) -> Result<Domain, Error> {
    scope::resolve(app, caller).await?;
    find(app, caller, domain_id).await
}

/// Returns a domain. The use case has already checked the permission.
pub(super) async fn find(app: &App, caller: &Caller, domain_id: DomainId) -> Result<Domain, Error> {
    let domain = app.store.domain(caller.organization.organization_id, domain_id).await?;
    if let Some(domain) = &domain
        && let Some(pod_id) = domain.pod_id
        && pods::holds_an_inbox_of(app, caller, pod_id).await?
    {
        return Ok(domain.clone());
    }
    in_reach(caller, domain_id, domain)
}

/// Returns the domain if it exists within the caller's reach, and [`Error::NotFound`] otherwise.
fn in_reach(caller: &Caller, domain_id: DomainId, domain: Option<Domain>) -> Result<Domain, Error> {
    domain
        .filter(|domain| access::reaches_domain(caller, domain))
        .ok_or_else(|| Error::not_found(Resource::Domain, domain_id))
}

/// Returns the domain, locked until the unit of work ends.
pub(super) async fn lock(tx: &mut dyn Tx, caller: &Caller, domain_id: DomainId) -> Result<Domain, Error> {
    let domain = tx.domains().lock(caller.organization.organization_id, domain_id).await?;
    in_reach(caller, domain_id, domain)
}

/// Returns the domain and the domain of another organization that holds its name, both locked until the unit of work
/// ends.
pub(super) async fn lock_with_holder(
    tx: &mut dyn Tx,
    caller: &Caller,
    domain_id: DomainId,
) -> Result<(Domain, Option<Domain>), Error> {
    let found = tx.domains().lock_with_holder(caller.organization.organization_id, domain_id).await?;
    let (domain, holder) = found.unzip();
    Ok((in_reach(caller, domain_id, domain)?, holder.flatten()))
}

/// Returns the stored name of a custom domain on which the caller may create inboxes.
///
/// The caller holds the lock of the organization, so the domain cannot be deleted meanwhile.
///
/// # Errors
/// [`Error::DomainNotVerified`].
pub(crate) async fn allow_minting(app: &App, tx: &mut dyn Tx, caller: &Caller, asked: &str) -> Result<String, Error> {
    let refused = |domain_id| Error::DomainNotVerified { domain: asked.to_lowercase(), domain_id };
    // A subdomain of a service domain is refused, even below a verified domain.
    let name = name::custom(asked, &app.settings.hosted_domains()).map_err(|_| refused(None))?;
    let held = tx.domains().held(caller.organization.organization_id, &name.with_parents()).await?;
    match inbox_domain_policy::decide(&name, &caller.reach, &held) {
        InboxDomainPolicy::Allowed => Ok(name.to_string()),
        InboxDomainPolicy::NotVerified(domain_id) => Err(refused(domain_id)),
    }
}
