//! People and domains that senders may imitate, with a one-second cache.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use time::OffsetDateTime;

use super::arriving::Arriving;
use crate::app::App;
use crate::app::account::SERVICE_NAME;
use crate::app::second_cache::{Generation, SecondCache};
use crate::model::OrganizationId;
use crate::ports::Acquaintances;
use crate::rules::trust::{KnownIdentities, ServiceIdentity};

/// Cache of the acquaintances of organizations. A burst of mail reads them once; a change takes effect within a second.
#[derive(Default)]
pub(in crate::app) struct AcquaintanceCache(SecondCache<OrganizationId, Arc<KnownIdentities>>);

/// Acquaintances of the organizations of a batch, as far as they are known.
pub(super) struct Acquainted {
    known: BTreeMap<OrganizationId, Arc<KnownIdentities>>,
    /// Organizations to look up, with the state of the cache.
    missing: BTreeMap<OrganizationId, Generation>,
    now: OffsetDateTime,
}

impl Acquainted {
    /// Returns those of the organizations of these mails that are in the cache.
    pub(super) fn cached(app: &App, mails: &[Arriving]) -> Self {
        let now = app.clock.now();
        let mut acquainted = Self { known: BTreeMap::new(), missing: BTreeMap::new(), now };
        let organizations: BTreeSet<OrganizationId> =
            mails.iter().flat_map(Arriving::inboxes).map(|inbox| inbox.organization_id).collect();
        for organization_id in organizations {
            match app.waiting.acquaintances.0.find(&organization_id, now) {
                Ok(found) => drop(acquainted.known.insert(organization_id, found)),
                Err(generation) => drop(acquainted.missing.insert(organization_id, generation)),
            }
        }
        acquainted
    }

    /// Returns the organizations to look up.
    pub(super) fn missing(&self) -> Vec<OrganizationId> {
        self.missing.keys().copied().collect()
    }

    /// Adds looked-up acquaintances, also to the cache. Everyone knows the service.
    pub(super) fn add(&mut self, app: &App, found: Vec<(OrganizationId, Acquaintances)>) {
        for (organization_id, acquaintances) in found {
            let identities = Arc::new(identities(app, acquaintances));
            if let Some(generation) = self.missing.remove(&organization_id) {
                let entry = (generation, self.now);
                app.waiting.acquaintances.0.insert(organization_id, Arc::clone(&identities), entry);
            }
            self.known.insert(organization_id, identities);
        }
        for organization_id in self.missing.keys() {
            self.known.insert(*organization_id, Arc::new(identities(app, Acquaintances::default())));
        }
    }

    /// Returns the people and domains that senders to an organization may imitate.
    pub(super) fn of(&self, organization_id: OrganizationId) -> Option<&Arc<KnownIdentities>> {
        self.known.get(&organization_id)
    }
}

fn identities(app: &App, acquaintances: Acquaintances) -> KnownIdentities {
    let shared: Vec<String> = app.settings.hosted_domains().map(str::to_owned).to_vec();
    let (mut domains, mut pod_domains) = (shared.clone(), Vec::new());
    for (domain, pod_id) in acquaintances.domains {
        match pod_id {
            Some(pod_id) => pod_domains.push((domain, pod_id)),
            None => domains.push(domain),
        }
    }
    let service = ServiceIdentity { name: SERVICE_NAME.to_owned(), domains, pod_domains, shared };
    KnownIdentities::new(service, acquaintances.people)
}
