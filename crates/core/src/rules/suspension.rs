//! Restrictions of suspended organizations and paused inboxes.

use super::sending_brake;
use crate::Error;
use crate::model::{Caller, Inbox, InboxStatus, Organization, Permission, Reach};

/// Returns whether a permission works while the organization is suspended: reads, removal of access, and payment.
#[must_use]
pub fn is_allowed_while_suspended(permission: Permission) -> bool {
    permission.as_str().ends_with("_read")
        || matches!(permission, Permission::ApiKeyDelete | Permission::MemberDelete | Permission::Billing)
}

/// Refuses a suspended organization.
///
/// # Errors
/// [`Error::OrganizationSuspended`].
pub fn require_active(organization: &Organization) -> Result<(), Error> {
    match &organization.suspension {
        Some(suspension) => Err(Error::OrganizationSuspended { reason: suspension.reason.clone() }),
        None => Ok(()),
    }
}

/// Refuses a send from a paused inbox, or of an organization that is suspended or must not send.
///
/// # Errors
/// [`Error::OrganizationSuspended`], [`Error::InboxPaused`], [`crate::BrakeRefusal::Held`].
pub fn require_sending(organization: &Organization, inbox: &Inbox) -> Result<(), Error> {
    require_active(organization)?;
    match inbox.status() {
        InboxStatus::Active => sending_brake::require_unheld(organization),
        InboxStatus::Paused => Err(Error::InboxPaused(inbox.inbox_id.clone())),
    }
}

/// Refuses to resume a paused inbox with a key of this inbox alone: it is the key of the agent that the pause stops.
///
/// # Errors
/// [`Error::ResumeNotAllowed`].
pub fn require_resumption(caller: &Caller, inbox: &Inbox) -> Result<(), Error> {
    let is_own_key = matches!(caller.reach, Reach::Inbox { .. });
    if is_own_key && inbox.status() == InboxStatus::Paused {
        return Err(Error::ResumeNotAllowed(inbox.inbox_id.clone()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspended_organization_reads_pays_and_takes_access_away() {
        let allowed: Vec<&str> = Permission::ALL
            .iter()
            .filter(|permission| is_allowed_while_suspended(**permission))
            .map(|permission| permission.as_str())
            .filter(|name| !name.ends_with("_read"))
            .collect();
        assert_eq!(allowed, ["api_key_delete", "member_delete", "billing"]);
    }
}
