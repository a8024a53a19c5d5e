//! Shares of service mail: codes and invitations that a mailbox gets, and that an organization causes.

use inboxd_mail::EmailAddress;
use time::Duration;

use super::{InboxId, OrganizationId};

/// How many mails an hour and a day see at most; 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailLimits {
    /// Mails an hour.
    pub per_hour: u32,
    /// Mails a day.
    pub per_day: u32,
}

impl MailLimits {
    /// The codes that an hour and a day bring to a mailbox that never read one.
    pub const SIGN_IN: Self = Self { per_hour: 20, per_day: 60 };

    /// The messages that a day brings from unverified organizations to the mailbox that they name as their owner's.
    pub const UNCONFIRMED_OWNER: Self = Self { per_hour: 0, per_day: 20 };

    /// The refused messages of an inbox that become events.
    pub const REJECTION_EVENTS: Self = Self { per_hour: 100, per_day: 1_000 };

    /// The mail to `postmaster@` that an hour and a day bring to an address outside.
    pub const POSTMASTER: Self = Self { per_hour: 60, per_day: 500 };

    /// Returns how long one mail counts against the hour and the day; no time where there is no limit.
    #[must_use]
    pub fn steps(self) -> (Duration, Duration) {
        let step = |period: Duration, limit: u32| if limit == 0 { Duration::ZERO } else { period / limit };
        (step(Duration::HOUR, self.per_hour), step(Duration::DAY, self.per_day))
    }
}

/// One mail that counts against the share of a mailbox or an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCharge {
    /// The key of the share.
    pub subject: String,
    /// Its limits.
    pub limits: MailLimits,
}

impl MailCharge {
    /// Returns the charge of a mail that a stranger may have caused: of a sign-up or an invitation.
    #[must_use]
    pub fn of_mailbox(address: &EmailAddress, limits: MailLimits) -> Self {
        Self { subject: format!("mailbox {}", mailbox_of(address)), limits }
    }

    /// Returns the charge of a code to sign in with.
    #[must_use]
    pub fn of_sign_in(address: &EmailAddress) -> Self {
        Self { subject: format!("sign-in {}", mailbox_of(address)), limits: MailLimits::SIGN_IN }
    }

    /// Returns the charge of a message from an unverified organization to its owner.
    #[must_use]
    pub fn of_unconfirmed_owner(address: &EmailAddress) -> Self {
        Self { subject: format!("unconfirmed {}", mailbox_of(address)), limits: MailLimits::UNCONFIRMED_OWNER }
    }

    /// Returns the charge of a message to `postmaster@` that is forwarded.
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

/// Returns the mailbox behind an address: in lower case, unquoted, without its tag, and without dots where the provider
/// ignores them.
fn mailbox_of(address: &EmailAddress) -> String {
    let normalized = address.normalized();
    let (local, domain) = normalized.rsplit_once('@').unwrap_or((&normalized, ""));
    let unquoted: String = match local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.chars().filter(|c| *c != '\\').collect(),
        None => local.to_owned(),
    };
    let name = unquoted.split_once('+').map_or(unquoted.as_str(), |(name, _)| name);
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
