//! Organizations, their plans and limits.

use std::fmt;
use std::str::FromStr;

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::{BrakeLevel, CustomerId, MemberId, OrganizationId, PodId, QuarantineMode, SendingBrake, SubscriptionId};

/// Plan of an organization; it decides volume, never features (`service.md`, section 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plan {
    /// $0.
    Free,
    /// $20 a month.
    Startup,
    /// $200 a month.
    Business,
    /// By contract.
    Enterprise,
}

impl Plan {
    /// All plans, the smallest first.
    pub const ALL: [Self; 4] = [Self::Free, Self::Startup, Self::Business, Self::Enterprise];

    /// Returns the name in the API and storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Startup => "startup",
            Self::Business => "business",
            Self::Enterprise => "enterprise",
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|plan| plan.as_str() == text)
            .ok_or_else(|| "the plans are free, startup, business and enterprise".to_owned())
    }
}

/// The suspension of an organization by an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspension {
    /// Time of the suspension.
    pub at: OffsetDateTime,
    /// Reason, as each refusal shows it.
    pub reason: String,
}

/// The tenant that owns all other resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organization {
    /// Its id.
    pub organization_id: OrganizationId,
    /// Address that names the account and receives its codes; not a credential. `None` for a sign-up without one.
    pub owner_email: Option<EmailAddress>,
    /// Number of times that the owner address was replaced before it was confirmed.
    pub owner_changes: u32,
    /// Plan of the organization.
    pub plan: Plan,
    /// Time at which the owner address was confirmed; `None` while unverified.
    pub verified_at: Option<OffsetDateTime>,
    /// Pod of resources that name no pod.
    pub default_pod_id: PodId,
    /// Suspension by an operator.
    pub suspension: Option<Suspension>,
    /// Brake on its sending.
    pub brake: Option<SendingBrake>,
    /// Time from which its bounces and complaints count, after an operator lifted the brake.
    pub brake_counts_from: Option<OffsetDateTime>,
    /// Quarantine of received messages.
    pub quarantine: QuarantineMode,
    /// Time of the sign-up.
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

impl Organization {
    /// Maximum times that an unconfirmed owner address is replaced.
    pub const MAX_OWNER_CHANGES: u32 = 2;

    /// Returns whether nothing of the organization leaves: it is suspended, or its sending is held.
    #[must_use]
    pub fn sends_nothing(&self) -> bool {
        let is_held = self.brake.as_ref().is_some_and(|brake| brake.level == BrakeLevel::Held);
        self.suspension.is_some() || is_held
    }

    /// Returns the owner address for display.
    #[must_use]
    pub fn owner_text(&self) -> &str {
        self.owner_email.as_ref().map_or("nobody yet", EmailAddress::as_str)
    }

    /// Returns whether the owner address is confirmed.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.verified_at.is_some()
    }

    /// Returns the organization with a confirmed owner address; the limits of its plan apply at once.
    #[must_use]
    pub fn verified(self, now: OffsetDateTime) -> Self {
        Self { verified_at: Some(now), updated_at: now, ..self }
    }

    /// Returns the limits in force.
    #[must_use]
    pub fn limits(&self) -> PlanLimits {
        if self.is_verified() { PlanLimits::of(self.plan) } else { PlanLimits::UNVERIFIED }
    }
}

/// Limits of an organization (`service.md`, section 8); `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanLimits {
    /// Live inboxes.
    pub inboxes: Option<u64>,
    /// Messages sent in a calendar month, UTC.
    pub emails_per_month: Option<u64>,
    /// Messages sent in a calendar day, UTC.
    pub emails_per_day: Option<u64>,
    /// Custom domains.
    pub domains: Option<u64>,
    /// Pods, the default pod included.
    pub pods: Option<u64>,
    /// Webhooks.
    pub webhooks: Option<u64>,
    /// Members, the owner and invited ones included (`wire.md`, section 3, Member).
    pub members: Option<u64>,
    /// Bytes of live messages, drafts, notes and files.
    pub storage_bytes: Option<u64>,
}

const GB: u64 = 1_000_000_000;

impl PlanLimits {
    /// Limits before the owner address is confirmed (`service.md`, section 8, rule 5).
    pub const UNVERIFIED: Self = Self {
        inboxes: Some(1),
        emails_per_month: Some(100),
        emails_per_day: Some(10),
        domains: Some(0),
        pods: Some(2),
        webhooks: Some(0),
        members: Some(25),
        storage_bytes: Some(GB),
    };

    /// Returns the limits of a plan.
    #[must_use]
    pub fn of(plan: Plan) -> Self {
        match plan {
            Plan::Free => Self {
                inboxes: Some(3),
                emails_per_month: Some(1_000),
                emails_per_day: Some(100),
                domains: Some(1),
                pods: Some(2),
                webhooks: Some(2),
                members: Some(25),
                storage_bytes: Some(GB),
            },
            Plan::Startup => Self {
                inboxes: Some(25),
                emails_per_month: Some(10_000),
                emails_per_day: None,
                domains: Some(10),
                pods: Some(5),
                webhooks: Some(10),
                members: Some(100),
                storage_bytes: Some(25 * GB),
            },
            Plan::Business => Self {
                inboxes: Some(250),
                emails_per_month: Some(100_000),
                emails_per_day: None,
                domains: Some(100),
                pods: Some(25),
                webhooks: Some(50),
                members: Some(1_000),
                storage_bytes: Some(250 * GB),
            },
            Plan::Enterprise => Self {
                inboxes: None,
                emails_per_month: None,
                emails_per_day: None,
                domains: None,
                pods: None,
                webhooks: None,
                members: None,
                storage_bytes: None,
            },
        }
    }
}

/// An organization with its usage, the response of `GET /v0/organizations`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationOverview {
    /// The organization.
    pub organization: Organization,
    /// Live inboxes.
    pub inbox_count: u64,
    /// Custom domains.
    pub domain_count: u64,
    /// Pods, the default pod included.
    pub pod_count: u64,
    /// Webhooks.
    pub webhook_count: u64,
    /// Bytes of live messages, drafts, notes and files.
    pub storage_bytes: u64,
    /// Ids at the payment provider, and that of the owner.
    pub account: AccountIds,
}

/// Ids of an organization at the payment provider, and the id of its owner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountIds {
    /// Customer of the payment provider.
    pub customer_id: Option<CustomerId>,
    /// Newest subscription that has not ended.
    pub subscription_id: Option<SubscriptionId>,
    /// Owner, signed in by email.
    pub owner_id: Option<MemberId>,
}
