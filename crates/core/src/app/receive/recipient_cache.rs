//! Recipient lookup with a one-second cache.
//!
//! Mail often arrives in bursts for the same inboxes. A cached entry is used for RCPT alone: the unit of work that
//! stores the mail locks its inboxes and detects deleted ones. That unit of work does not check the domain again. So
//! mail that RCPT accepted before a domain changed its organization is stored in the former one.
//!
//! A change by this process empties the cache at once; a change by another process takes effect within a second.
//! Unknown addresses are not cached, so a new inbox receives mail at once.
//!
//! The cache expires by the clock of the app, because core has no other clock; so no cache library is used.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};

use crate::app::App;
use crate::ports::{RecipientRoute, StoreError};

const ENTRY_TTL: Duration = Duration::seconds(1);

/// Maximum of entries; beyond it the cache is emptied, since entries expire after a second anyway.
const MAX_ENTRIES: usize = 10_000;

/// Lookup of recipients with a cache of those that exist.
#[derive(Default)]
pub(in crate::app) struct RecipientCache(Mutex<RecipientEntries>);

impl RecipientCache {
    /// Returns the route of an address, if it is a recipient here.
    pub(super) async fn route(&self, app: &App, address: &EmailAddress) -> Result<Option<RecipientRoute>, StoreError> {
        let now = app.clock.now();
        let generation = match self.entries().find(address, now) {
            Ok(route) => return Ok(Some(route)),
            Err(generation) => generation,
        };
        let found = app.store.destinations(std::slice::from_ref(address)).await?.pop().flatten();
        if let Some(route) = &found {
            self.entries().insert(address, route, (generation, now));
        }
        Ok(found)
    }

    /// Returns a guard for the commit of a routing change. The guard empties the cache when it is dropped, after the
    /// commit. This also covers a failed commit and a cancelled caller.
    #[must_use = "it empties the cache when it is dropped, which must happen after the commit"]
    pub(in crate::app) fn invalidate_on_drop(&self) -> InvalidateOnDrop<'_> {
        InvalidateOnDrop(self)
    }

    /// Locks the entries. A poisoned lock is harmless, because no code panics while it is held.
    fn entries(&self) -> MutexGuard<'_, RecipientEntries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard that empties the cache after a routing change.
pub(in crate::app) struct InvalidateOnDrop<'a>(&'a RecipientCache);

impl Drop for InvalidateOnDrop<'_> {
    fn drop(&mut self) {
        self.0.entries().clear();
    }
}

/// Number of times the cache was emptied. A lookup that began before the last time may be outdated.
type Generation = u64;

/// Cached routes with the times of their lookups.
#[derive(Default)]
struct RecipientEntries {
    generation: Generation,
    by_address: HashMap<EmailAddress, (RecipientRoute, OffsetDateTime)>,
}

impl RecipientEntries {
    /// Returns the cached route, or as `Err` the generation for [`insert`](Self::insert).
    fn find(&self, address: &EmailAddress, now: OffsetDateTime) -> Result<RecipientRoute, Generation> {
        let (route, looked_up_at) = self.by_address.get(address).ok_or(self.generation)?;
        // After the clock was set back, the age of an entry is unknown.
        if *looked_up_at <= now && now - *looked_up_at < ENTRY_TTL { Ok(route.clone()) } else { Err(self.generation) }
    }

    /// Stores the route of a lookup, unless the cache was emptied in the meantime.
    fn insert(
        &mut self,
        address: &EmailAddress,
        route: &RecipientRoute,
        (generation, looked_up_at): (Generation, OffsetDateTime),
    ) {
        if generation != self.generation {
            return;
        }
        if self.by_address.len() >= MAX_ENTRIES {
            self.by_address.clear();
        }
        self.by_address.insert(address.clone(), (route.clone(), looked_up_at));
    }

    fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        self.by_address.clear();
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;
    use crate::model::InboxId;
    use crate::ports::Destination;

    const NOW: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

    fn address(text: &str) -> EmailAddress {
        text.parse().unwrap()
    }

    fn route() -> RecipientRoute {
        let inbox_id = InboxId::stored("scout@inboxd.example".to_owned());
        Destination { organization_id: Uuid::nil().into(), pod_id: Uuid::nil().into(), inbox_id }.into()
    }

    #[test]
    fn entry_expires_after_one_second() {
        let mut entries = RecipientEntries::default();
        let scout = address("scout@inboxd.example");
        assert_eq!(entries.find(&scout, NOW), Err(0));
        entries.insert(&scout, &route(), (0, NOW));
        let table = [(-1, false), (0, true), (999, true), (1000, false)];
        for (milliseconds, is_known) in table {
            let known = entries.find(&scout, NOW + Duration::milliseconds(milliseconds));
            assert_eq!(known.is_ok(), is_known, "{milliseconds}");
        }
        assert_eq!(entries.find(&address("Scout@INBOXD.example"), NOW), Ok(route()));
        assert_eq!(entries.find(&address("scouts@inboxd.example"), NOW), Err(0));
    }

    #[test]
    fn lookup_that_began_before_an_invalidation_is_not_cached() {
        let mut entries = RecipientEntries::default();
        let scout = address("scout@inboxd.example");
        entries.insert(&scout, &route(), (0, NOW));
        entries.clear();
        assert_eq!(entries.find(&scout, NOW), Err(1));
        entries.insert(&scout, &route(), (0, NOW));
        assert_eq!(entries.find(&scout, NOW), Err(1));
        entries.insert(&scout, &route(), (1, NOW));
        assert_eq!(entries.find(&scout, NOW), Ok(route()));
    }

    #[test]
    fn cache_stays_within_its_limit() {
        let mut entries = RecipientEntries::default();
        for number in 0..=MAX_ENTRIES {
            entries.insert(&address(&format!("a{number}@inboxd.example")), &route(), (0, NOW));
            assert!(entries.by_address.len() <= MAX_ENTRIES);
        }
        assert!(entries.find(&address(&format!("a{MAX_ENTRIES}@inboxd.example")), NOW).is_ok());
    }
}
