//! Change of a connection.

use std::collections::BTreeSet;

use time::OffsetDateTime;

use super::find::{find, not_found};
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::members::fields;
use crate::app::{App, standing};
use crate::model::{AuditAction, Caller, Connection, ConnectionId, InboxId};
use crate::rules::access;
use crate::rules::oauth::{bounds, scopes};
use crate::{Error, FieldError};

/// Changes to a connection; `None` leaves a field unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConnectionChange {
    /// The scopes and single permissions, separated by spaces.
    pub scope: Option<String>,
    /// The inboxes that limit the connection; empty for all inboxes of the member.
    pub inbox_ids: Option<Vec<InboxId>>,
    /// The expiry, at most a year after the consent.
    pub expires_at: Option<OffsetDateTime>,
}

/// Changes a connection. The next request with its tokens has the new bounds.
///
/// The person may narrow and widen an own connection, within role, inboxes and key. Owners and admins may narrow others.
/// A connection changes none: it never has the permission.
///
/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`], [`Error::RoleNotAllowed`], [`Error::MissingPermission`],
/// [`Error::PermissionEscalation`] for a permission that the caller
/// lacks, [`Error::NotTheirInbox`], [`Error::KeyOutlivesCaller`].
pub async fn update_connection(
    app: &App,
    caller: &Caller,
    connection_id: ConnectionId,
    change: ConnectionChange,
) -> Result<Connection, Error> {
    Error::unless_empty(problems_of_change(&change))?;
    let connection = find(app, caller, connection_id).await?;
    bounds::require_over(caller, &connection, access::key_change_permission(caller))?;
    retried(is_contention, || update_once(app, caller, connection_id, &change)).await
}

async fn update_once(
    app: &App,
    caller: &Caller,
    connection_id: ConnectionId,
    change: &ConnectionChange,
) -> Result<Connection, Error> {
    let mut tx = app.store.begin().await?;
    let inbox_ids = match &change.inbox_ids {
        Some(inbox_ids) => Some(fields::inboxes(tx.as_mut(), &caller.organization, inbox_ids.clone()).await?),
        None => None,
    };
    let caller = standing::present(app, tx.as_mut(), caller).await?;
    let found = tx.connections().lock(caller.organization.organization_id, connection_id).await?;
    let now = app.clock.now();
    let found = found.filter(|found| found.is_live(now) && bounds::sees(&caller, found));
    let found = found.ok_or_else(|| not_found(connection_id))?;
    bounds::require_over(&caller, &found, access::key_change_permission(&caller))?;
    let before = found.clone();
    let connection = changed(&caller, found, change, inbox_ids, now)?;
    tx.connections().update(&connection).await?;
    let change = AuditChange::updated(AuditAction::ConnectionUpdated, &before, &connection);
    audit::record(app, tx.as_mut(), &caller, change).await?;
    tx.commit().await?;
    Ok(connection)
}

/// Returns the connection after a change within the rights of the caller.
fn changed(
    caller: &Caller,
    found: Connection,
    change: &ConnectionChange,
    inbox_ids: Option<BTreeSet<InboxId>>,
    now: OffsetDateTime,
) -> Result<Connection, Error> {
    let inbox_ids = inbox_ids.unwrap_or_else(|| found.inbox_ids.clone());
    bounds::require_inboxes(caller, &found, &inbox_ids)?;
    let permissions = match &change.scope {
        Some(scope) => bounds::require_permissions(caller, &found, &scopes::parse(Some(scope))?)?,
        None => found.permissions.clone(),
    };
    let permissions = bounds::holdable(&permissions, &inbox_ids);
    if permissions.0.is_empty() {
        return Err(Error::invalid("scope", "leaves nothing; revoke the connection instead"));
    }
    let expires_at = change.expires_at.unwrap_or(found.expires_at);
    if change.expires_at.is_some() && (expires_at <= now || expires_at > found.created_at + Connection::MAX_LIFETIME) {
        return Err(Error::invalid("expires_at", "must be in the future, and at most a year after the consent"));
    }
    bounds::require_expiry(caller, &found, expires_at)?;
    Ok(Connection { permissions, inbox_ids, expires_at, updated_at: now, ..found })
}

/// Returns every problem that a change has by itself.
#[must_use]
pub fn problems_of_change(change: &ConnectionChange) -> Vec<FieldError> {
    let scope = change.scope.as_deref().map(|scope| {
        // To `parse`, a scope that names nothing means the default, which would widen the connection.
        if scopes::names_any(scope) {
            scopes::parse(Some(scope)).map(drop).map_err(|error| error.to_string())
        } else {
            Err("names at least one scope; DELETE revokes the connection".to_owned())
        }
    });
    let checks = [
        ("scope", scope.unwrap_or(Ok(()))),
        ("inbox_ids", fields::inbox_count(change.inbox_ids.as_deref().unwrap_or_default())),
    ];
    checks.into_iter().filter_map(|(path, checked)| Some(FieldError::new(path, checked.err()?))).collect()
}
