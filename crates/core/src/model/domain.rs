//! Custom domains and their DNS records.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::string_enum::string_enum;
use super::{DomainId, InboxId, OrganizationId, PodId};

/// A host name in its ASCII form, lower case, without a final dot; created by [`crate::rules::domains::name::parse`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DomainName(String);

impl DomainName {
    /// Wraps a stored name.
    #[must_use]
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name and its parent domains, nearest first, down to two labels.
    #[must_use]
    pub fn with_parents(&self) -> Vec<Self> {
        let mut names = vec![self.clone()];
        let mut rest = self.0.as_str();
        while let Some((_, parent)) = rest.split_once('.').filter(|(_, parent)| parent.contains('.')) {
            names.push(Self(parent.to_owned()));
            rest = parent;
        }
        names
    }

    /// Returns whether this name equals the other or is a subdomain of it.
    #[must_use]
    pub fn is_within(&self, other: &str) -> bool {
        self.0.strip_suffix(other).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }
}

impl fmt::Display for DomainName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

string_enum! {
    /// Verification status of a domain (`wire.md`, section 3, Domain).
    DomainStatus {
        /// No record was ever checked.
        NotStarted = "NOT_STARTED",
        /// Some records are missing, and none is invalid.
        Pending = "PENDING",
        /// No record is known to be missing or invalid, but some DNS lookups failed.
        Verifying = "VERIFYING",
        /// All required records are valid.
        Verified = "VERIFIED",
        /// A record exists and is invalid.
        Invalid = "INVALID",
        /// Records were still missing days after the domain was added.
        Failed = "FAILED",
    }
}

string_enum! {
    /// Result of the check of one record (`wire.md`, section 3, Domain).
    RecordStatus {
        /// The record does not exist.
        Missing = "MISSING",
        /// A record exists with another value.
        Invalid = "INVALID",
        /// The record is valid.
        Valid = "VALID",
    }
}

/// Purpose of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordPurpose {
    /// Inbound mail of the domain (RFC 5321, section 5.1).
    Mx,
    /// Authorization of this service to send for the domain (RFC 7208).
    Spf,
    /// Public key of its signatures (RFC 6376). The key belongs to this domain of this organization alone, so its
    /// record also proves control of the domain.
    Dkim,
    /// Policy for mail that fails authentication (RFC 7489).
    Dmarc,
    /// Inbound mail of all subdomains (RFC 4592).
    WildcardMx,
    /// Next signing key; verification does not wait for it.
    NextDkim,
    /// Previous signing key, for messages in transit.
    RetiredDkim,
}

impl RecordPurpose {
    /// Returns whether verification needs the record.
    #[must_use]
    pub fn is_required(self) -> bool {
        !matches!(self, Self::NextDkim | Self::RetiredDkim)
    }

    /// Returns whether the record proves control of the domain, now or once it is published.
    #[must_use]
    pub fn proves(self) -> bool {
        matches!(self, Self::Dkim | Self::NextDkim)
    }
}

/// A required DNS record and the result of its last check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainRecord {
    /// Purpose, which decides the record type.
    pub purpose: RecordPurpose,
    /// Full name, without a final dot.
    pub name: String,
    /// Value; of an MX record, the host.
    pub value: String,
    /// Result of the last check.
    pub status: RecordStatus,
    /// Preference of an MX record.
    pub priority: Option<u16>,
    /// Reason if it is not valid: a word (`value_mismatch`, `duplicate_records`, …), a colon and a sentence.
    pub reason: Option<String>,
    /// Found value, if it is another one.
    pub found: Option<String>,
}

/// Default for events from before this setting existed.
fn enabled() -> bool {
    true
}

/// A custom domain without its private key. Events contain it as it was at that time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Domain {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its id.
    pub domain_id: DomainId,
    /// Pod of the domain; `None` for the whole organization.
    pub pod_id: Option<PodId>,
    /// The caller's idempotency key of its creation.
    pub client_id: Option<String>,
    /// Domain name.
    pub name: DomainName,
    /// Verification status.
    pub status: DomainStatus,
    /// Whether bounces and complaints about its mail are wanted.
    pub feedback_enabled: bool,
    /// Whether inboxes may be created on its subdomains.
    pub subdomains_enabled: bool,
    /// Whether this service receives its mail.
    #[serde(default = "enabled")]
    pub inbound_enabled: bool,
    /// Inbox that receives mail for unknown addresses of the domain.
    #[serde(default)]
    pub catch_all_inbox_id: Option<InboxId>,
    /// Required DNS records.
    pub records: Vec<DomainRecord>,
    /// Time of the first verification.
    #[serde(with = "time::serde::rfc3339::option")]
    pub verified_at: Option<OffsetDateTime>,
    /// Time of creation.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}
