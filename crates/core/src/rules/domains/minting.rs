//! On which custom domains an organization may make inboxes.

use crate::model::{DomainId, DomainName, DomainStatus, PodId, Reach};

/// Somebody's domain that is, or lies above, the one that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldDomain {
    /// Its name.
    pub name: DomainName,
    /// Whose it is.
    pub holder: Holder,
}

/// Whose a domain is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// The asking organization's, verified or not.
    Own {
        /// Its id.
        domain_id: DomainId,
        /// The one pod it belongs to.
        pod_id: Option<PodId>,
        /// How far it has come.
        status: DomainStatus,
        /// Whether its own records are right, whatever is known of the one for its subdomains.
        serves_name: bool,
        /// Whether inboxes may be made below it.
        subdomains_enabled: bool,
    },
    /// Another organization's, who proved that it is.
    Other,
}

/// Whether inboxes may be made on a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Minting {
    /// They may.
    Allowed,
    /// They may not; this record of the organization's would have to be verified, where it has one.
    NotVerified(Option<DomainId>),
}

/// Decides on which name inboxes may be made: on a domain of the organization whose own records are right, or below a
/// verified one whose subdomains are enabled, unless somebody else has verified a domain that lies nearer.
#[must_use]
pub fn decide(wanted: &DomainName, reach: &Reach, held: &[HeldDomain]) -> Minting {
    let mut candidate = None;
    for name in wanted.with_parents() {
        for held in held.iter().filter(|held| held.name == name) {
            let Holder::Own { domain_id, pod_id, status, serves_name, subdomains_enabled } = &held.holder else {
                return Minting::NotVerified(candidate);
            };
            let is_name = name == *wanted;
            let covers = is_name || *subdomains_enabled;
            if !covers || !reaches(reach, *pod_id) {
                continue;
            }
            if *status == DomainStatus::Verified || (is_name && *serves_name) {
                return Minting::Allowed;
            }
            candidate = candidate.or(Some(*domain_id));
        }
    }
    Minting::NotVerified(candidate)
}

/// Whether a key of this reach may use a domain of this pod.
fn reaches(reach: &Reach, pod_id: Option<PodId>) -> bool {
    match (reach, pod_id) {
        (Reach::Pod(own), Some(pod_id)) => *own == pod_id,
        _ => true,
    }
}
