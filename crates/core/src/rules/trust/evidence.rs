//! Facts about a received message and its sender.

use std::ops::Add;
use std::sync::Arc;

use inboxd_mail::SafetyFindings;
use time::OffsetDateTime;

use super::known::KnownIdentities;
use super::reason::{ImitatedIdentity, MessageField};
pub use crate::model::ContactDecision;
use crate::model::{AuthResult, Authentication, PodId};

/// Facts about a received message and its sender.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The first address of From; `None` for a message without one.
    pub from: Option<SenderAddress>,
    /// The addresses of Reply-To in their normalized form.
    pub reply_to: Vec<String>,
    /// Authentication results; `None` without a check.
    pub authentication: Option<Authentication>,
    /// Whether this service sent the message, so that From needs no check.
    pub is_local: bool,
    /// Name under which the inbox knows the From address: that of its last message that was not suspicious.
    pub known_name: Option<String>,
    /// Mail that the inbox exchanged with the From address before.
    pub inbox: History,
    /// Mail that the organization exchanged with the From address before, that of the inbox included.
    pub organization: History,
    /// Pod of the inbox. Reasons name no correspondent of another one.
    pub pod_id: Option<PodId>,
    /// Decision of a person about the From address.
    pub decision: Option<ContactDecision>,
    /// People, domains and names that may be imitated. The storage bounds them, and the mails of a burst share them.
    pub known: Arc<KnownIdentities>,
    /// Findings of the content.
    pub findings: SafetyFindings,
    /// Findings of the external scanner.
    pub scanner: Vec<ScannerFinding>,
}

/// Threat that the external scanner found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScannerFinding {
    /// Category, as the scanner names it.
    pub category: String,
    /// Confidence of the scanner, from 0 to 100; `None` if it has none.
    pub score: Option<u8>,
    /// Place of the threat in the message.
    pub place: Option<TextPlace>,
}

/// Place in the text of a message, in Unicode characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPlace {
    /// Field with the place.
    pub field: MessageField,
    /// First character.
    pub start: usize,
    /// Character behind the last one.
    pub end: usize,
}

/// An address with its display name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SenderAddress {
    /// Display name.
    pub name: Option<String>,
    /// The address in its normalized form.
    pub address: String,
}

/// Mail exchanged with an address before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct History {
    /// Number of received messages, without suspicious ones and without hidden ones.
    pub received: u64,
    /// Number of sent messages.
    pub sent: u64,
    /// Time of the first message.
    pub since: Option<OffsetDateTime>,
    /// Whether a received message was authenticated.
    pub was_authenticated: bool,
}

impl Add for History {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            received: self.received.saturating_add(other.received),
            sent: self.sent.saturating_add(other.sent),
            since: self.since.into_iter().chain(other.since).min(),
            was_authenticated: self.was_authenticated || other.was_authenticated,
        }
    }
}

/// A correspondent or member.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownPerson {
    /// Name.
    pub name: Option<String>,
    /// Address.
    pub address: String,
    /// Relation to the organization.
    pub relation: Relation,
    /// Pod of the inbox that corresponds with the person; `None` for a member.
    pub pod_id: Option<PodId>,
}

/// Relation of a person to the organization.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Relation {
    /// Mail was exchanged.
    #[default]
    Correspondent,
    /// Member of the organization.
    Member,
}

impl From<Relation> for ImitatedIdentity {
    fn from(relation: Relation) -> Self {
        match relation {
            Relation::Correspondent => Self::Correspondent,
            Relation::Member => Self::Member,
        }
    }
}

/// Names of this service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceIdentity {
    /// Name that the service has in its own mail.
    pub name: String,
    /// Domains of the service and of the organization.
    pub domains: Vec<String>,
    /// Domains of single pods of the organization. Reasons name them to these pods only.
    pub pod_domains: Vec<(String, PodId)>,
    /// Those of them where every organization may have inboxes.
    pub shared: Vec<String>,
}

impl Evidence {
    /// Returns the domain of From in lower case.
    pub(super) fn sender_domain(&self) -> Option<String> {
        domain_of(&self.from.as_ref()?.address)
    }

    /// Returns the authenticated domain that is aligned with From.
    pub(super) fn aligned_domain(&self) -> Option<String> {
        if self.is_local {
            return self.sender_domain();
        }
        let results = self.authentication.as_ref().filter(|results| results.dmarc == AuthResult::Pass)?;
        results.aligned_domain.clone().or_else(|| self.sender_domain())
    }

    /// Returns whether authentication speaks against the From address.
    pub(super) fn has_failed(&self) -> bool {
        !self.is_local
            && self.authentication.as_ref().is_some_and(|results| {
                let is_against = |result| matches!(result, AuthResult::Fail | AuthResult::PermError);
                results.dmarc == AuthResult::Fail
                    || (results.dmarc != AuthResult::Pass
                        && is_against(results.spf)
                        && results.dkim != AuthResult::Pass)
            })
    }
}

/// Returns the domain of an address in lower case.
pub(super) fn domain_of(address: &str) -> Option<String> {
    let (_, domain) = address.trim().rsplit_once('@')?;
    let domain = domain.trim_end_matches(['.', '>', ' ']).to_lowercase();
    (!domain.is_empty()).then_some(domain)
}
