//! Read of one connection.

use crate::app::App;
use crate::model::{Caller, Connection, ConnectionId, Permission};
use crate::rules::access;
use crate::rules::oauth::bounds;
use crate::{Error, Resource};

/// Returns a connection that the caller may see: an own one, and any other one for owners, admins and keys of the
/// organization.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::MemberConnectionProtected`], [`Error::NotFound`].
pub async fn get_connection(app: &App, caller: &Caller, connection_id: ConnectionId) -> Result<Connection, Error> {
    access::require(caller, Permission::ApiKeyRead)?;
    find(app, caller, connection_id).await
}

/// Returns a live connection that the caller may see.
pub(super) async fn find(app: &App, caller: &Caller, connection_id: ConnectionId) -> Result<Connection, Error> {
    bounds::require_trusted(caller)?;
    let found = app.store.connection(caller.organization.organization_id, connection_id).await?;
    let now = app.clock.now();
    let found = found.filter(|found| found.is_live(now) && bounds::sees(caller, found));
    found.ok_or_else(|| not_found(connection_id))
}

/// Returns the refusal of an unknown connection, and of one that the caller may not see.
pub(super) fn not_found(connection_id: ConnectionId) -> Error {
    Error::not_found(Resource::Connection, connection_id)
}
