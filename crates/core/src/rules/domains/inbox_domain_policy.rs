//! Custom domains on which an organization may create inboxes.

use crate::model::{DomainId, DomainName, DomainStatus, PodId, Reach};

/// A known domain that equals the requested one or is a parent of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldDomain {
    /// Name of the domain.
    pub name: DomainName,
    /// Owner of the domain.
    pub holder: DomainHolder,
}

/// Owner of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DomainHolder {
    /// The requesting organization, verified or not.
    Own {
        /// Id of the domain.
        domain_id: DomainId,
        /// Pod of the domain, if it belongs to one.
        pod_id: Option<PodId>,
        /// Verification status.
        status: DomainStatus,
        /// Whether the domain's own records are valid, without regard to its wildcard record.
        serves_name: bool,
        /// Whether inboxes may be created on its subdomains.
        subdomains_enabled: bool,
    },
    /// Another organization with proof of ownership.
    Other,
}

/// Permission to create inboxes on a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InboxDomainPolicy {
    /// Inboxes may be created.
    Allowed,
    /// Inboxes may not be created. The id is that of the organization's own record that must be verified, if there is
    /// one.
    NotVerified(Option<DomainId>),
}

/// Decides whether inboxes may be created on a name.
///
/// They may on a domain of the organization with valid records, or below a verified domain with enabled subdomains,
/// unless another organization has verified a domain that is nearer to the name.
#[must_use]
pub fn decide(wanted: &DomainName, reach: &Reach, held: &[HeldDomain]) -> InboxDomainPolicy {
    let mut candidate = None;
    for name in wanted.with_parents() {
        for held in held.iter().filter(|held| held.name == name) {
            let DomainHolder::Own { domain_id, pod_id, status, serves_name, subdomains_enabled } = &held.holder else {
                return InboxDomainPolicy::NotVerified(candidate);
            };
            let is_name = name == *wanted;
            let covers = is_name || *subdomains_enabled;
            if !covers || !reaches(reach, *pod_id) {
                continue;
            }
            if *status == DomainStatus::Verified || (is_name && *serves_name) {
                return InboxDomainPolicy::Allowed;
            }
            candidate = candidate.or(Some(*domain_id));
        }
    }
    InboxDomainPolicy::NotVerified(candidate)
}

/// Returns whether a key of this reach may use a domain of this pod.
fn reaches(reach: &Reach, pod_id: Option<PodId>) -> bool {
    match (reach, pod_id) {
        (Reach::Pod(own), Some(pod_id)) => *own == pod_id,
        _ => true,
    }
}
