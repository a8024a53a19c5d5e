//! Who may do what: the scope of a key first, then the role of a person and the permissions of the key (`service.md`,
//! section 5).

use std::collections::BTreeSet;

use super::roles;
use crate::model::{Caller, Domain, Hidden, Inbox, InboxId, Permission, Permissions, PodId, Reach};
use crate::{Error, FieldError};

/// The permissions that let a key see mail with a hiding label, in the order of [`Hidden::LABELS`].
const READS_HIDDEN: [Permission; 4] = [
    Permission::LabelSpamRead,
    Permission::LabelBlockedRead,
    Permission::LabelUnauthenticatedRead,
    Permission::LabelTrashRead,
];

/// Names that other servers of this wire know and that have no effect here (`wire.md`, section 3, API key).
const WITHOUT_EFFECT: [&str; 16] = [
    "account_update",
    "agent_armor_release",
    "api_key_update",
    "app_connect",
    "app_share_owner",
    "calendar_event_create",
    "calendar_event_delete",
    "calendar_event_read",
    "calendar_event_update",
    "calendar_read",
    "calendar_update",
    "file_create",
    "file_delete",
    "file_read",
    "file_update",
    "message_reply",
];

/// Whether a permission is of use only to a key that reaches the whole organization or pod.
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
    )
}

/// Whether the caller holds a permission. Scope wins: a key of one inbox never holds one that reaches beyond it. A person
/// holds what their role allows.
#[must_use]
pub fn holds(caller: &Caller, permission: Permission) -> bool {
    if caller.member.as_ref().is_some_and(|member| !roles::allows(member.role, permission)) {
        return false;
    }
    if matches!(caller.reach, Reach::Inbox { .. }) && is_above_inbox(permission) {
        return false;
    }
    caller.permissions.as_ref().is_none_or(|map| map.grants(permission))
}

/// Refuses a caller whose role or key lacks a permission.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`].
pub fn require(caller: &Caller, permission: Permission) -> Result<(), Error> {
    if let Some(member) = caller.member.as_ref().filter(|member| !roles::allows(member.role, permission)) {
        let owner = caller.organization.owner_email.to_string();
        return Err(Error::RoleNotAllowed { role: member.role, permission, owner });
    }
    if holds(caller, permission) { Ok(()) } else { Err(Error::MissingPermission(permission)) }
}

/// Refuses a caller who may not do this to the people of the organization: they are beyond a pod as well as an inbox.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`].
pub fn require_people(caller: &Caller, permission: Permission) -> Result<(), Error> {
    match caller.reach {
        Reach::Pod(_) => Err(Error::MissingPermission(permission)),
        _ => require(caller, permission),
    }
}

/// Refuses a key of one inbox that asks for another, and a member who asks for one that is not theirs, whether or not
/// that one exists.
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

/// Refuses a key of one pod an inbox of another.
///
/// # Errors
/// [`Error::PodOutOfScope`].
pub fn require_pod(caller: &Caller, inbox: &Inbox) -> Result<(), Error> {
    match &caller.reach {
        Reach::Pod(pod_id) if *pod_id != inbox.pod_id => Err(Error::PodOutOfScope),
        _ => Ok(()),
    }
}

/// Refuses a key of one pod a domain of another, or of the whole organization.
///
/// # Errors
/// [`Error::PodOutOfScope`].
pub fn require_domain(caller: &Caller, domain: &Domain) -> Result<(), Error> {
    match &caller.reach {
        Reach::Pod(pod_id) | Reach::Inbox { pod_id, .. } if domain.pod_id != Some(*pod_id) => Err(Error::PodOutOfScope),
        _ => Ok(()),
    }
}

/// The pod and the inbox that a list across the organization is about, for a caller who named an inbox within their
/// reach, or none.
///
/// # Errors
/// [`Error::InboxIdRequired`] for a member limited to several inboxes who named none.
pub fn listed(caller: &Caller, named: Option<InboxId>) -> Result<(Option<PodId>, Option<InboxId>), Error> {
    match (&caller.reach, named) {
        (Reach::Organization, named) => Ok((None, named)),
        (Reach::Pod(pod_id), named) => Ok((Some(*pod_id), named)),
        (Reach::Inbox { inbox_id, .. }, _) => Ok((None, Some(inbox_id.clone()))),
        (Reach::Inboxes(_), Some(named)) => Ok((None, Some(named))),
        (Reach::Inboxes(theirs), None) => only(theirs).map(|inbox_id| (None, Some(inbox_id.clone()))),
    }
}

/// The one inbox that a member is limited to.
///
/// # Errors
/// [`Error::InboxIdRequired`] where there are several.
pub fn only(theirs: &BTreeSet<InboxId>) -> Result<&InboxId, Error> {
    match theirs.first() {
        Some(inbox_id) if theirs.len() == 1 => Ok(inbox_id),
        _ => Err(Error::InboxIdRequired { theirs: theirs.iter().cloned().collect() }),
    }
}

/// The hiding labels whose mail the caller may see.
#[must_use]
pub fn readable(caller: &Caller) -> Hidden {
    READS_HIDDEN
        .iter()
        .enumerate()
        .filter(|(_, permission)| holds(caller, **permission))
        .fold(Hidden::NONE, |hidden, (place, _)| hidden.with(place))
}

/// Every name of a map that is no permission, or that reaches beyond the one inbox of its key.
#[must_use]
pub fn problems_of_permissions(asked: &Permissions, for_one_inbox: bool) -> Vec<FieldError> {
    let problem = |(name, granted): (&String, &bool)| {
        let message = match Permission::named(name) {
            Some(permission) if *granted && for_one_inbox && is_above_inbox(permission) => {
                "reaches beyond one inbox; a key of one inbox cannot hold it"
            }
            Some(_) => return None,
            None if WITHOUT_EFFECT.contains(&name.as_str()) => return None,
            None => "is not a permission; see the list in the API documentation",
        };
        Some(FieldError::new(format!("permissions.{name}"), message))
    };
    asked.0.iter().filter_map(problem).collect()
}

/// The permissions of a key that the caller makes: what was asked for, or, where nothing was, the caller's own map.
///
/// # Errors
/// [`Error::Invalid`] for a name that does not exist, or one that reaches beyond the one inbox of the new key;
/// [`Error::PermissionEscalation`] for one that the caller does not hold.
pub fn delegated(
    caller: &Caller,
    asked: Option<Permissions>,
    for_one_inbox: bool,
) -> Result<Option<Permissions>, Error> {
    let Some(asked) = asked else { return Ok(caller.permissions.clone()) };
    Error::unless_empty(problems_of_permissions(&asked, for_one_inbox))?;
    let lacking = Permission::ALL.iter().find(|permission| asked.grants(**permission) && !holds(caller, **permission));
    match lacking {
        Some(permission) => Err(Error::PermissionEscalation(*permission)),
        None => Ok(Some(asked)),
    }
}
