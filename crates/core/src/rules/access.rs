//! Access rules: scope of a key, then role of a member, then permissions of the key (`service.md`, section 5).

use std::collections::BTreeSet;

use super::{roles, suspension};
use crate::Error;
use crate::model::{
    Breadth, Caller, Domain, EventType, HidingLabels, Inbox, InboxId, MemberId, Permission, PodId, Reach,
    RequiredPermission, Role, Scope,
};

/// Permissions that make messages with a hiding label visible, in the order of [`HidingLabels::LABELS`]. A caller that may
/// release held messages sees them too.
const READS_HIDDEN: [Permission; 5] = [
    Permission::LabelSpamRead,
    Permission::LabelBlockedRead,
    Permission::LabelUnauthenticatedRead,
    Permission::LabelTrashRead,
    Permission::LabelHeldRead,
];

/// Returns whether only a key of a whole organization or pod can use a permission.
#[must_use]
pub fn is_above_inbox(permission: Permission) -> bool {
    use Permission as P;
    matches!(
        permission,
        P::InboxCreate
            | P::DomainRead
            | P::DomainCreate
            | P::DomainUpdate
            | P::DomainDelete
            | P::PodRead
            | P::PodCreate
            | P::PodUpdate
            | P::PodDelete
            | P::MemberRead
            | P::MemberCreate
            | P::MemberUpdate
            | P::MemberDelete
            | P::OrganizationRead
            | P::OrganizationUpdate
            | P::Billing
            | P::AuditRead
    )
}

/// Returns whether only a key of the whole organization can use a permission.
#[must_use]
pub fn is_above_pod(permission: Permission) -> bool {
    use Permission as P;
    matches!(
        permission,
        P::PodCreate
            | P::PodDelete
            | P::MemberRead
            | P::MemberCreate
            | P::MemberUpdate
            | P::MemberDelete
            | P::OrganizationRead
            | P::OrganizationUpdate
            | P::Billing
            | P::AuditRead
    )
}

/// Returns whether a key of this breadth can hold a permission.
#[must_use]
pub fn is_within(breadth: Breadth, permission: Permission) -> bool {
    match breadth {
        Breadth::Organization => true,
        Breadth::Pod => !is_above_pod(permission),
        Breadth::Inbox => !is_above_inbox(permission),
    }
}

/// Returns whether one reach contains another.
#[must_use]
pub fn reaches(wider: &Reach, narrower: &Reach) -> bool {
    match (wider, narrower) {
        (Reach::Organization, _) => true,
        (Reach::Pod(pod), Reach::Pod(other) | Reach::Inbox { pod_id: other, .. }) => pod == other,
        (Reach::Inbox { inbox_id, .. }, Reach::Inbox { inbox_id: other, .. }) => inbox_id == other,
        (Reach::Inboxes(theirs), Reach::Inbox { inbox_id, .. }) => theirs.contains(inbox_id),
        _ => false,
    }
}

/// Returns whether the caller holds a permission.
///
/// The scope comes first: a key of one inbox or pod never holds a permission beyond it. A member holds no more than the
/// role allows.
#[must_use]
pub fn holds(caller: &Caller, permission: Permission) -> bool {
    if caller.member.as_ref().is_some_and(|member| !roles::allows(member.role, permission)) {
        return false;
    }
    if !is_within(caller.reach.breadth(), permission) {
        return false;
    }
    let is_person = caller.member.is_some() && caller.connection.is_none();
    match &caller.permissions {
        Some(map) => map.grants(permission),
        None => is_person || !permission.is_opt_in(),
    }
}

/// Returns whether the caller may do everything in the whole organization: an unrestricted key that acts for no member,
/// an owner or an admin.
#[must_use]
pub fn is_unrestricted(caller: &Caller) -> bool {
    let is_member = caller.member.as_ref().is_some_and(|member| member.role == Role::Member);
    caller.reach == Reach::Organization && caller.permissions.is_none() && !is_member
}

/// Refuses a caller whose role or key lacks a permission, or whose organization is suspended.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`], [`Error::OrganizationSuspended`].
pub fn require(caller: &Caller, permission: Permission) -> Result<(), Error> {
    if let Some(member) = caller.member.as_ref().filter(|member| !roles::allows(member.role, permission)) {
        let owner = caller.organization.owner_text().to_owned();
        return Err(Error::RoleNotAllowed { role: member.role, permission, owner });
    }
    if !holds(caller, permission) {
        return Err(Error::MissingPermission(permission));
    }
    if suspension::is_allowed_while_suspended(permission) {
        return Ok(());
    }
    suspension::require_active(&caller.organization)
}

/// Returns the permission by which the caller changes keys: `api_key_update` where they hold it, else `api_key_create`.
#[must_use]
pub fn key_change_permission(caller: &Caller) -> Permission {
    if holds(caller, Permission::ApiKeyUpdate) { Permission::ApiKeyUpdate } else { Permission::ApiKeyCreate }
}

/// `api_key_update` where the caller holds it, else `api_key_create`, which includes it.
#[derive(Debug, Clone, Copy)]
pub struct ApiKeyChange;

impl RequiredPermission for ApiKeyChange {
    const DOCUMENTED: Permission = Permission::ApiKeyCreate;

    fn of(caller: &Caller) -> Permission {
        key_change_permission(caller)
    }
}

/// Refuses a caller that may not remove a member.
///
/// Each member may remove themselves in any role, unless their key has a permission map without `member_delete`.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`].
pub fn require_removal(caller: &Caller, member_id: MemberId) -> Result<(), Error> {
    if caller.member.as_ref().is_none_or(|person| person.member_id != member_id) {
        return require(caller, Permission::MemberDelete);
    }
    let is_granted = caller.permissions.as_ref().is_none_or(|map| map.grants(Permission::MemberDelete));
    if is_granted { Ok(()) } else { Err(Error::MissingPermission(Permission::MemberDelete)) }
}

/// Refuses to grant a role that allows more than the caller holds: a key issued at sign-in has all permissions of the
/// role.
///
/// # Errors
/// [`Error::RoleEscalation`].
pub fn require_grantable(caller: &Caller, role: Role) -> Result<(), Error> {
    // A key for everything may invite an admin, though only a person holds what is opt-in.
    let is_beyond = |permission: &&Permission| {
        roles::allows(role, **permission) && !holds(caller, **permission) && !permission.is_opt_in()
    };
    match Permission::ALL.iter().find(is_beyond) {
        Some(permission) => Err(Error::RoleEscalation { role, permission: *permission }),
        None => Ok(()),
    }
}

/// Refuses an inbox outside the scope of the key or member, whether or not that inbox exists.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`].
pub fn require_inbox(caller: &Caller, inbox_id: &InboxId) -> Result<(), Error> {
    match &caller.reach {
        Reach::Inbox { inbox_id: reached, .. } if reached != inbox_id => {
            Err(Error::InboxOutOfScope { reached: reached.clone() })
        }
        Reach::Inboxes(theirs) if !theirs.contains(inbox_id) => {
            Err(Error::NotTheirInbox { theirs: theirs.iter().cloned().collect() })
        }
        _ => Ok(()),
    }
}

/// Refuses an inbox of another pod to a key of one pod.
///
/// # Errors
/// [`Error::PodOutOfScope`].
pub fn require_pod(caller: &Caller, inbox: &Inbox) -> Result<(), Error> {
    match &caller.reach {
        Reach::Pod(pod_id) if *pod_id != inbox.pod_id => Err(Error::PodOutOfScope),
        _ => Ok(()),
    }
}

/// Refuses a key that does not cover a whole pod, whether or not that pod exists.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`] for a key of one inbox, [`Error::NotTheirInbox`] for a member
/// limited to some inboxes.
pub fn require_whole_pod(caller: &Caller, pod_id: PodId) -> Result<(), Error> {
    match &caller.reach {
        Reach::Organization => Ok(()),
        Reach::Pod(own) if *own == pod_id => Ok(()),
        Reach::Pod(_) => Err(Error::PodOutOfScope),
        Reach::Inbox { inbox_id, .. } => Err(Error::InboxOutOfScope { reached: inbox_id.clone() }),
        Reach::Inboxes(theirs) => Err(Error::NotTheirInbox { theirs: theirs.iter().cloned().collect() }),
    }
}

/// Refuses a caller that does not reach the whole organization.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`] for a key of one inbox, [`Error::NotTheirInbox`] for a member
/// limited to some.
pub fn require_organization(caller: &Caller) -> Result<(), Error> {
    match &caller.reach {
        Reach::Organization => Ok(()),
        Reach::Pod(_) => Err(Error::PodOutOfScope),
        Reach::Inbox { inbox_id, .. } => Err(Error::InboxOutOfScope { reached: inbox_id.clone() }),
        Reach::Inboxes(theirs) => Err(Error::NotTheirInbox { theirs: theirs.iter().cloned().collect() }),
    }
}

/// Returns whether a permission, used for the organization, affects all of it. A list or legal hold of the
/// organization applies to every inbox, so a caller limited to some may not touch it.
#[must_use]
pub fn covers_organization(permission: Permission) -> bool {
    use Permission as P;
    matches!(
        permission,
        P::ListEntryRead | P::ListEntryCreate | P::ListEntryDelete | P::LegalHoldRead | P::LegalHoldUpdate
    )
}

/// Returns whether the caller reaches some inboxes and no pod as a whole.
#[must_use]
pub fn is_limited_to_inboxes(caller: &Caller) -> bool {
    matches!(caller.reach, Reach::Inbox { .. } | Reach::Inboxes(_))
}

/// Returns whether the caller reaches a domain.
///
/// A key of one pod reaches the domains of that pod. A member limited to some inboxes reaches the domains without a
/// pod, wherever these inboxes are.
#[must_use]
pub fn reaches_domain(caller: &Caller, domain: &Domain) -> bool {
    match &caller.reach {
        Reach::Organization => true,
        Reach::Inboxes(_) => domain.pod_id.is_none(),
        Reach::Pod(pod_id) | Reach::Inbox { pod_id, .. } => domain.pod_id == Some(*pod_id),
    }
}

/// Returns the pod and the inbox that narrow a list across the organization. `named` is an inbox within the caller's
/// reach, or `None`.
///
/// # Errors
/// [`Error::InboxIdRequired`] for a member limited to several inboxes, without a named inbox.
pub fn listed(caller: &Caller, named: Option<InboxId>) -> Result<(Option<PodId>, Option<InboxId>), Error> {
    match (&caller.reach, named) {
        (Reach::Organization, named) => Ok((None, named)),
        (Reach::Pod(pod_id), named) => Ok((Some(*pod_id), named)),
        (Reach::Inbox { inbox_id, .. }, _) => Ok((None, Some(inbox_id.clone()))),
        (Reach::Inboxes(_), Some(named)) => Ok((None, Some(named))),
        (Reach::Inboxes(theirs), None) => only(theirs).map(|inbox_id| (None, Some(inbox_id.clone()))),
    }
}

/// Returns the one scope of a list across everything within a reach.
///
/// # Errors
/// [`Error::InboxIdRequired`] for a member limited to several inboxes.
pub fn one_scope(reach: Reach) -> Result<Scope, Error> {
    match reach {
        Reach::Organization => Ok(Scope::Organization),
        Reach::Pod(pod_id) => Ok(Scope::Pod(pod_id)),
        Reach::Inbox { inbox_id, .. } => Ok(Scope::Inbox(inbox_id)),
        Reach::Inboxes(theirs) => only(&theirs).map(|inbox_id| Scope::Inbox(inbox_id.clone())),
    }
}

/// Returns the one inbox of a limited member.
///
/// # Errors
/// [`Error::InboxIdRequired`] for several inboxes.
fn only(theirs: &BTreeSet<InboxId>) -> Result<&InboxId, Error> {
    match theirs.first() {
        Some(inbox_id) if theirs.len() == 1 => Ok(inbox_id),
        _ => Err(Error::InboxIdRequired { theirs: theirs.iter().cloned().collect() }),
    }
}

/// Refuses an event type about messages with a hiding label that the caller may not see.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`].
pub fn require_kind(caller: &Caller, kind: EventType) -> Result<(), Error> {
    let place = kind.hiding_label().and_then(|label| HidingLabels::LABELS.iter().position(|known| *known == label));
    place.and_then(|place| READS_HIDDEN.get(place)).map_or(Ok(()), |permission| require(caller, *permission))
}

/// Returns whether the caller may receive events of a type. Those of calendars have the content of events, which is read
/// with the permission to read messages.
#[must_use]
pub fn may_receive(caller: &Caller, kind: EventType) -> bool {
    !kind.is_of_calendar() || holds(caller, Permission::MessageRead)
}

/// Returns the hiding labels of messages that the caller may see.
#[must_use]
pub fn readable(caller: &Caller) -> HidingLabels {
    let released = if holds(caller, Permission::AgentArmorRelease) { HidingLabels::HELD } else { HidingLabels::NONE };
    READS_HIDDEN
        .iter()
        .enumerate()
        .filter(|(_, permission)| holds(caller, **permission))
        .fold(released, |hidden, (place, _)| hidden.with(place))
}
