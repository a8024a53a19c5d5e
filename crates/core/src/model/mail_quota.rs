//! Quotas of service mail: codes and invitations for one mailbox or from one organization.

use inboxd_mail::EmailAddress;
use time::Duration;

use super::{InboxId, OrganizationId};

/// Maximum messages per hour and day; 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailLimits {
    /// Messages per hour.
    pub per_hour: u32,
    /// Messages per day.
    pub per_day: u32,
}

impl MailLimits {
    /// Sign-in codes to a mailbox that never used one.
    pub const SIGN_IN: Self = Self { per_hour: 20, per_day: 60 };

    /// Fetches of client metadata documents for one person, which are counted like messages.
    pub const CLIENT_DOCUMENTS: Self = Self { per_hour: 30, per_day: 100 };

    /// Messages from unverified organizations to the owner address that they name.
    pub const UNCONFIRMED_OWNER: Self = Self { per_hour: 0, per_day: 20 };

    /// Refused messages of an inbox that become events.
    pub const REJECTION_EVENTS: Self = Self { per_hour: 100, per_day: 1_000 };

    /// Requests for approval to one person.
    pub const APPROVALS: Self = Self { per_hour: 20, per_day: 100 };

    /// Sign-ups without an owner address from one network, which are counted like messages.
    pub const OWNERLESS_SIGN_UPS: Self = Self { per_hour: 10, per_day: 20 };

    /// Messages to `postmaster@` that are forwarded to an external address.
    pub const POSTMASTER: Self = Self { per_hour: 60, per_day: 500 };

    /// Returns the time for which one message counts against the hour and the day; zero without a limit.
    #[must_use]
    pub fn steps(self) -> (Duration, Duration) {
        let step = |period: Duration, limit: u32| if limit == 0 { Duration::ZERO } else { period / limit };
        (step(Duration::HOUR, self.per_hour), step(Duration::DAY, self.per_day))
    }
}

/// One message that counts against the quota of a mailbox or an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCharge {
    /// Key of the quota.
    pub subject: String,
    /// Limits of the quota.
    pub limits: MailLimits,
}

impl MailCharge {
    /// Returns the charge of a message that a third party may have caused: a sign-up or an invitation.
    #[must_use]
    pub fn of_mailbox(address: &EmailAddress, limits: MailLimits) -> Self {
        Self { subject: format!("mailbox {}", mailbox_of(address)), limits }
    }

    /// Returns the charge of a sign-in code.
    #[must_use]
    pub fn of_sign_in(address: &EmailAddress) -> Self {
        Self { subject: format!("sign-in {}", mailbox_of(address)), limits: MailLimits::SIGN_IN }
    }

    /// Returns the charge of the fetch of a client metadata document for a person.
    #[must_use]
    pub fn of_client_document(address: &EmailAddress) -> Self {
        Self { subject: format!("document {}", mailbox_of(address)), limits: MailLimits::CLIENT_DOCUMENTS }
    }

    /// Returns the charge of a message from an unverified organization to its owner.
    #[must_use]
    pub fn of_unconfirmed_owner(address: &EmailAddress) -> Self {
        Self { subject: format!("unconfirmed {}", mailbox_of(address)), limits: MailLimits::UNCONFIRMED_OWNER }
    }

    /// Returns the charge of a request for approval.
    #[must_use]
    pub fn of_approver(address: &EmailAddress) -> Self {
        Self { subject: format!("approver {}", mailbox_of(address)), limits: MailLimits::APPROVALS }
    }

    /// Returns the charge of a sign-up without an owner address from a network.
    #[must_use]
    pub fn of_ownerless_sign_up(network: &str) -> Self {
        Self { subject: format!("ownerless {network}"), limits: MailLimits::OWNERLESS_SIGN_UPS }
    }

    /// Returns the charge of a forwarded message to `postmaster@`.
    #[must_use]
    pub fn of_postmaster() -> Self {
        Self { subject: "postmaster".to_owned(), limits: MailLimits::POSTMASTER }
    }

    /// Returns the charge of the event of a refused message.
    #[must_use]
    pub fn of_rejection(inbox_id: &InboxId) -> Self {
        Self { subject: format!("rejection {inbox_id}"), limits: MailLimits::REJECTION_EVENTS }
    }

    /// Returns the charge of an invitation, for the organization that invites.
    #[must_use]
    pub fn of_organization(organization_id: OrganizationId, limits: MailLimits) -> Self {
        Self { subject: format!("organization {organization_id}"), limits }
    }
}

/// Returns the mailbox of an address: in lower case, unquoted, without its tag, and without dots if the provider
/// ignores them.
fn mailbox_of(address: &EmailAddress) -> String {
    let normalized = address.normalized();
    let (local, domain) = normalized.rsplit_once('@').unwrap_or((&normalized, ""));
    let unquoted = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(local);
    let name = unquoted.split_once('+').map_or(unquoted, |(name, _)| name);
    match domain {
        "gmail.com" | "googlemail.com" => format!("{}@gmail.com", name.replace('.', "")),
        _ => format!("{name}@{domain}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mailbox_of_address_drops_case_tag_and_quotes() {
        let table = [
            ("Victim+1@Example.org", "victim@example.org"),
            ("victim+a+b@example.org", "victim@example.org"),
            ("\"victim\"@example.org", "victim@example.org"),
            ("\"vic\\tim+x\"@example.org", "victim@example.org"),
            ("\"vic tim\\\"\"@example.org", "vic tim\\\"@example.org"),
            ("v.i.c.tim+x@googlemail.com", "victim@gmail.com"),
            ("v.ictim@example.org", "v.ictim@example.org"),
        ];
        for (text, expected) in table {
            assert_eq!(text.parse().map(|address| mailbox_of(&address)).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn step_of_limit_is_share_of_period() {
        let steps = |per_hour, per_day| MailLimits { per_hour, per_day }.steps();
        assert_eq!(steps(10, 24), (Duration::minutes(6), Duration::HOUR));
        assert_eq!(steps(0, 0), (Duration::ZERO, Duration::ZERO));
    }
}
