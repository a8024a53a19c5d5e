//! People and domains that senders may imitate, with a one-second cache.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use time::OffsetDateTime;

use super::arriving::Arriving;
use crate::app::App;
use crate::app::second_cache::{Generation, SecondCache};
use crate::model::OrganizationId;
use crate::ports::Acquaintances;

/// Cache of the acquaintances of organizations. A burst of mail reads them once; a change takes effect within a second.
#[derive(Default)]
pub(in crate::app) struct AcquaintanceCache(SecondCache<OrganizationId, Arc<Acquaintances>>);

/// Acquaintances of the organizations of a batch, as far as they are known.
pub(super) struct Acquainted {
    known: BTreeMap<OrganizationId, Arc<Acquaintances>>,
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

    /// Adds looked-up acquaintances, also to the cache.
    pub(super) fn add(&mut self, app: &App, found: Vec<(OrganizationId, Acquaintances)>) {
        for (organization_id, acquaintances) in found {
            let acquaintances = Arc::new(acquaintances);
            if let Some(generation) = self.missing.remove(&organization_id) {
                let entry = (generation, self.now);
                app.waiting.acquaintances.0.insert(organization_id, Arc::clone(&acquaintances), entry);
            }
            self.known.insert(organization_id, acquaintances);
        }
    }

    /// Returns the acquaintances of an organization.
    pub(super) fn of(&self, organization_id: OrganizationId) -> Option<&Acquaintances> {
        self.known.get(&organization_id).map(Arc::as_ref)
    }
}
