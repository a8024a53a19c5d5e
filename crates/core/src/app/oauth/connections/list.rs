//! List of connections.

use crate::Error;
use crate::app::App;
use crate::model::{Caller, Connection, Page, PageRequest, Permission};
use crate::ports::ConnectionQuery;
use crate::rules::access;
use crate::rules::oauth::bounds;

/// Returns a page of connections, newest first: those of the caller, and those of all members for owners, admins and keys
/// of the organization.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::MemberConnectionProtected`]; [`Error::PodOutOfScope`] or [`Error::InboxOutOfScope`] for a key of one pod or inbox.
pub async fn list_connections(app: &App, caller: &Caller, page: PageRequest) -> Result<Page<Connection>, Error> {
    access::require(caller, Permission::ApiKeyRead)?;
    bounds::require_trusted(caller)?;
    let member_id = match &caller.member {
        Some(person) if !bounds::sees_all(caller) => Some(person.member_id),
        Some(_) => None,
        None => {
            access::require_organization(caller)?;
            None
        }
    };
    let organization_id = caller.organization.organization_id;
    let query = ConnectionQuery { organization_id, member_id, live_at: app.clock.now(), page };
    Ok(app.store.list_connections(&query).await?)
}
