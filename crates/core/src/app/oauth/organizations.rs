//! Organizations and inboxes of a signed-in person.

use crate::Error;
use crate::app::App;
use crate::model::{BrowserSession, Inbox, Membership, OrganizationId, PageRequest, Reach, Role};
use crate::ports::InboxQuery;

/// Returns the organizations of a signed-in person: the own confirmed ones first, then those that the person used, the
/// last used first, then the others. Those with an unconfirmed owner address come last.
///
/// # Errors
/// When storage fails.
pub async fn organizations_of(app: &App, session: &BrowserSession) -> Result<Vec<Membership>, Error> {
    let mut joined = app.store.memberships(&session.email).await?;
    joined.retain(|membership| membership.member.is_active());
    joined.sort_by_key(|membership| {
        let is_own = membership.member.role == Role::Owner;
        (membership.organization.is_verified(), is_own, membership.used_at, membership.member.created_at)
    });
    joined.reverse();
    Ok(joined)
}

/// Returns up to 200 inboxes of a signed-in person in one organization, for the choice on the consent page.
///
/// # Errors
/// [`Error::NotFound`] for an organization that the person has not joined.
pub async fn inboxes_of(
    app: &App,
    session: &BrowserSession,
    organization_id: OrganizationId,
) -> Result<Vec<Inbox>, Error> {
    let membership = membership_in(app, session, organization_id).await?;
    let among = match membership.member.reach() {
        Reach::Inboxes(theirs) => Some(theirs),
        _ => None,
    };
    let page = PageRequest { limit: PageRequest::MAX_LIMIT, ..PageRequest::default() };
    let query = InboxQuery { organization_id, pod_id: None, inbox_id: None, among, page };
    Ok(app.store.list_inboxes(&query).await?.items)
}

/// Returns the membership of a signed-in person in one organization.
pub(super) async fn membership_in(
    app: &App,
    session: &BrowserSession,
    organization_id: OrganizationId,
) -> Result<Membership, Error> {
    let joined = organizations_of(app, session).await?;
    let found = joined.into_iter().find(|membership| membership.organization.organization_id == organization_id);
    found.ok_or_else(|| Error::no_organization(organization_id))
}
