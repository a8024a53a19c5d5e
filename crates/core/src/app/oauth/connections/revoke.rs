//! Revocation of a connection.

use super::find::{find, not_found};
use crate::Error;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::model::{AuditAction, Caller, Connection, ConnectionId, Permission};
use crate::rules::oauth::bounds;

/// Revokes a connection: an own one in any role, another one with the permission to revoke keys.
///
/// Its tokens are dead at once in every process. Drafts that it scheduled fail at their time.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`], [`Error::MemberConnectionProtected`], [`Error::NotFound`].
pub async fn revoke_connection(app: &App, caller: &Caller, connection_id: ConnectionId) -> Result<(), Error> {
    let connection = find(app, caller, connection_id).await?;
    bounds::require_over(caller, &connection, Permission::ApiKeyDelete)?;
    retried(is_contention, || revoke_once(app, caller, &connection)).await
}

async fn revoke_once(app: &App, caller: &Caller, connection: &Connection) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    let connection_id = connection.connection_id;
    let organization_id = caller.organization.organization_id;
    if !tx.connections().revoke(organization_id, connection_id, app.clock.now()).await? {
        return Err(not_found(connection_id));
    }
    let change = AuditChange::deleted(AuditAction::ConnectionDeleted, connection);
    audit::record(app, tx.as_mut(), caller, change).await?;
    Ok(tx.commit().await?)
}
