//! Custom domains: names that an organization brings, with the DNS records that prove and serve them.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::words::words;
use super::{DomainId, InboxId, OrganizationId, PodId};

/// A host name in its ASCII form, lower case, without a final dot; made by [`crate::rules::domains::name::parse`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DomainName(String);

impl DomainName {
    /// The name as storage holds it.
    #[must_use]
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name itself and the domains above it, nearest first, down to those of two labels.
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

    /// Whether this is the other name, or lies below it.
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

words! {
    /// How far a domain has come (`wire.md`, section 3, Domain).
    DomainStatus {
        /// Its records were never looked up.
        NotStarted = "NOT_STARTED",
        /// Some of its records are not there yet, and none is wrong.
        Pending = "PENDING",
        /// None of its records is known to be missing or wrong, but DNS did not answer for all of them.
        Verifying = "VERIFYING",
        /// All of its records are as they must be.
        Verified = "VERIFIED",
        /// A record is there and wrong.
        Invalid = "INVALID",
        /// Records were still missing days after the domain was added.
        Failed = "FAILED",
    }
}

words! {
    /// What DNS said of one record (`wire.md`, section 3, Domain).
    RecordStatus {
        /// There is no such record.
        Missing = "MISSING",
        /// There is one, and it is not what is needed.
        Invalid = "INVALID",
        /// It is as it must be.
        Valid = "VALID",
    }
}

/// What a record is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Mail for the domain comes here (RFC 5321, section 5.1).
    Mx,
    /// This service may send for the domain (RFC 7208).
    Spf,
    /// The key of its signatures (RFC 6376). The key was made for this domain of this organization alone, so that the
    /// record also proves who controls the domain.
    Dkim,
    /// What others do with mail that passes neither (RFC 7489).
    Dmarc,
    /// Mail for every subdomain comes here (RFC 4592).
    WildcardMx,
    /// The key that is to sign next. The domain does not wait for it.
    NextDkim,
    /// The key that signed before; mail that is on its way needs it for a while.
    RetiredDkim,
}

impl Purpose {
    /// Whether the domain cannot do without the record.
    #[must_use]
    pub fn is_required(self) -> bool {
        !matches!(self, Self::NextDkim | Self::RetiredDkim)
    }

    /// Whether who publishes the record has, or is about to have, proven that the name is theirs.
    #[must_use]
    pub fn proves(self) -> bool {
        matches!(self, Self::Dkim | Self::NextDkim)
    }
}

/// A DNS record that the domain needs, and what was last found in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainRecord {
    /// What it is for; it decides its type.
    pub purpose: Purpose,
    /// Its full name, without a final dot.
    pub name: String,
    /// Its value; of an MX record, the host.
    pub value: String,
    /// What DNS said of it.
    pub status: RecordStatus,
    /// The preference of an MX record.
    pub priority: Option<u16>,
    /// Why it is not valid: a word (`value_mismatch`, `duplicate_records`, …), a colon and a sentence.
    pub reason: Option<String>,
    /// What DNS answered instead.
    pub found: Option<String>,
}

/// Events that were stored before there was a choice say nothing of it.
fn enabled() -> bool {
    true
}

/// A custom domain, but for the private half of its key; events keep it as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Domain {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its id.
    pub domain_id: DomainId,
    /// The one pod it belongs to; `None` for the whole organization.
    pub pod_id: Option<PodId>,
    /// The caller's idempotency key of its creation.
    pub client_id: Option<String>,
    /// The name.
    pub name: DomainName,
    /// How far it has come.
    pub status: DomainStatus,
    /// Whether bounces and complaints about its mail are wanted.
    pub feedback_enabled: bool,
    /// Whether inboxes may be made on its subdomains.
    pub subdomains_enabled: bool,
    /// Whether mail for it is taken here.
    #[serde(default = "enabled")]
    pub inbound_enabled: bool,
    /// The inbox that takes mail for names at it that are no inbox.
    #[serde(default)]
    pub catch_all_inbox_id: Option<InboxId>,
    /// What must stand in DNS.
    pub records: Vec<DomainRecord>,
    /// When it was first verified.
    #[serde(with = "time::serde::rfc3339::option")]
    pub verified_at: Option<OffsetDateTime>,
    /// When it was added.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}
