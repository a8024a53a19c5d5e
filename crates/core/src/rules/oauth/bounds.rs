//! Rights of a caller with a connection: those of the member within those of the connection.

use std::collections::BTreeSet;

use time::OffsetDateTime;

use super::scopes;
use crate::Error;
use crate::model::{Caller, Connection, ConnectionBounds, InboxId, Permission, Permissions, Reach, Role};
use crate::rules::{access, roles};

/// Permissions that act inside an inbox, though a member lacks them.
const INSIDE_INBOX: [Permission; 3] = [Permission::MessageDelete, Permission::InboxUpdate, Permission::InboxDelete];

/// Returns the permissions that a connection can hold: none whose effect outlives it. A connection limited to inboxes
/// holds only those of a member and those that act inside an inbox: others act on the whole organization.
#[must_use]
pub fn holdable(permissions: &Permissions, inbox_ids: &BTreeSet<InboxId>) -> Permissions {
    let is_inside = |permission| roles::allows(Role::Member, permission) || INSIDE_INBOX.contains(&permission);
    scopes::retained(permissions, |permission| {
        scopes::is_grantable(permission) && (inbox_ids.is_empty() || is_inside(permission))
    })
}

/// Returns a caller within the bounds of a connection; `None` if no inbox is left.
///
/// The caller has the present role and inboxes of the member and the permissions of the token.
#[must_use]
pub fn bounded(caller: Caller, connection: &Connection) -> Option<Caller> {
    let reach = narrowed(caller.reach, &connection.inbox_ids)?;
    let granted = holdable(&connection.permissions, &connection.inbox_ids);
    let permissions = match &caller.permissions {
        Some(own) => scopes::intersection(&granted, own),
        None => granted.clone(),
    };
    let bounds = ConnectionBounds { connection_id: connection.connection_id, granted };
    let actor = caller.actor.through(Some(connection.connection_id));
    Some(Caller { reach, permissions: Some(permissions), connection: Some(bounds), actor, ..caller })
}

/// Returns a reach within inboxes; empty is no limit. `None` if nothing is left.
#[must_use]
pub fn narrowed(reach: Reach, inbox_ids: &BTreeSet<InboxId>) -> Option<Reach> {
    if inbox_ids.is_empty() {
        return Some(reach);
    }
    match reach {
        Reach::Organization => Some(Reach::Inboxes(inbox_ids.clone())),
        Reach::Inboxes(theirs) => {
            let left: BTreeSet<InboxId> = theirs.intersection(inbox_ids).cloned().collect();
            (!left.is_empty()).then_some(Reach::Inboxes(left))
        }
        Reach::Inbox { ref inbox_id, .. } => inbox_ids.contains(inbox_id).then_some(reach),
        // A member never has the scope of a pod, which would reach beyond the inboxes.
        Reach::Pod(_) => None,
    }
}

/// Returns the scopes that a client must ask for so that a refused caller holds a permission: all that it was granted,
/// and the one of the permission. A permission of the administration is asked for by itself.
///
/// `None` for a caller without a connection, for a permission that the connection has, and for one that no consent gives:
/// one that no connection has, or that the role of the member lacks.
#[must_use]
pub fn missing_scope(caller: &Caller, permission: Permission) -> Option<String> {
    let connection = caller.connection.as_ref()?;
    let member = caller.member.as_ref()?;
    let is_held = caller.permissions.as_ref().is_some_and(|map| map.grants(permission));
    if is_held || !roles::allows(member.role, permission) {
        return None;
    }
    let scope = match scopes::ScopeName::of(permission)? {
        scopes::ScopeName::Admin => permission.as_str(),
        scope => scope.as_str(),
    };
    let wanted = format!("{} {scope}", scopes::text(&connection.granted));
    scopes::parse(Some(&wanted)).ok().map(|permissions| scopes::text(&permissions))
}

/// Returns whether a caller sees the connections of all members: an owner or admin with the whole organization, or a key
/// of it.
#[must_use]
pub fn sees_all(caller: &Caller) -> bool {
    let is_member = caller.member.as_ref().is_some_and(|person| person.role == Role::Member);
    caller.reach == Reach::Organization && !is_member
}

/// Returns whether a caller sees a connection: an own one, or any one of the organization.
#[must_use]
pub fn sees(caller: &Caller, connection: &Connection) -> bool {
    is_own(caller, connection) || sees_all(caller)
}

/// Returns whether the caller acts as the member that granted a connection.
fn is_own(caller: &Caller, connection: &Connection) -> bool {
    caller.member.as_ref().is_some_and(|person| person.member_id == connection.member_id)
}

/// Refuses connections to a key that acts for no member, while the organization is unverified.
///
/// Anyone can sign up with any address. Until the address is confirmed, the key of the sign-up may belong to a stranger,
/// and every connection to a person.
///
/// # Errors
/// [`Error::MemberConnectionProtected`].
pub fn require_trusted(caller: &Caller) -> Result<(), Error> {
    let is_trusted = caller.member.is_some() || caller.organization.is_verified();
    if is_trusted { Ok(()) } else { Err(Error::MemberConnectionProtected) }
}

/// Refuses a caller without a permission over a connection. Over an own one the permission map of the key decides, and not
/// the role.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`].
pub fn require_over(caller: &Caller, connection: &Connection, permission: Permission) -> Result<(), Error> {
    if !is_own(caller, connection) {
        return access::require(caller, permission);
    }
    let is_granted = caller.permissions.as_ref().is_none_or(|map| map.grants(permission));
    if is_granted { Ok(()) } else { Err(Error::MissingPermission(permission)) }
}

/// Refuses a change of the inboxes of a connection beyond the rights of the caller: only its member widens it.
///
/// # Errors
/// [`Error::NotTheirInbox`], [`Error::NotTheirConnection`].
pub fn require_inboxes(caller: &Caller, connection: &Connection, wanted: &BTreeSet<InboxId>) -> Result<(), Error> {
    let is_wider = !connection.inbox_ids.is_empty() && (wanted.is_empty() || !wanted.is_subset(&connection.inbox_ids));
    if is_wider && !is_own(caller, connection) {
        return Err(Error::NotTheirConnection);
    }
    for inbox_id in wanted {
        access::require_inbox(caller, inbox_id)?;
    }
    Ok(())
}

/// Returns the permissions that a connection can have after a change: those that it has, and further ones that its member
/// holds. Permissions beyond the role of the member are left out.
///
/// # Errors
/// [`Error::PermissionEscalation`] for a permission that the key of the member lacks; [`Error::NotTheirConnection`]
/// for a further one by another member.
pub fn require_permissions(
    caller: &Caller,
    connection: &Connection,
    wanted: &Permissions,
) -> Result<Permissions, Error> {
    let is_had = |permission| connection.permissions.grants(permission);
    let is_in_role = |permission| caller.member.as_ref().is_some_and(|person| roles::allows(person.role, permission));
    let further = scopes::retained(wanted, |permission| !is_had(permission));
    if !further.0.is_empty() && !is_own(caller, connection) {
        return Err(Error::NotTheirConnection);
    }
    let further = scopes::retained(&further, is_in_role);
    let lacking =
        Permission::ALL.iter().find(|permission| further.grants(**permission) && !access::holds(caller, **permission));
    match lacking {
        Some(permission) => Err(Error::PermissionEscalation(*permission)),
        None => Ok(scopes::retained(wanted, |permission| is_had(permission) || further.grants(permission))),
    }
}

/// Refuses a later expiry of a connection by another member, or beyond the expiry of the caller's key.
///
/// # Errors
/// [`Error::NotTheirConnection`], [`Error::KeyOutlivesCaller`].
pub fn require_expiry(caller: &Caller, connection: &Connection, wanted: OffsetDateTime) -> Result<(), Error> {
    if wanted <= connection.expires_at {
        return Ok(());
    }
    if !is_own(caller, connection) {
        return Err(Error::NotTheirConnection);
    }
    match caller.expires_at.filter(|at| *at < wanted) {
        Some(at) => Err(Error::KeyOutlivesCaller { at }),
        None => Ok(()),
    }
}
