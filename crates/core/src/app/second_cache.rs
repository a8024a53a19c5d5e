//! Cache whose entries expire after one second.
//!
//! It expires by the clock of the app, because core has no other clock; so no cache library is used.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use time::{Duration, OffsetDateTime};

const ENTRY_TTL: Duration = Duration::seconds(1);

/// Maximum of entries; beyond it the cache is emptied, since entries expire after a second anyway.
const MAX_ENTRIES: usize = 10_000;

/// Number of times the cache was cleared. A lookup that began before the last time may be outdated.
pub(super) type Generation = u64;

/// Values with the times of their lookups.
pub(super) struct SecondCache<K, V>(Mutex<Entries<K, V>>);

struct Entries<K, V> {
    generation: Generation,
    by_key: HashMap<K, (V, OffsetDateTime)>,
}

impl<K, V> Default for SecondCache<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Entries { generation: 0, by_key: HashMap::new() }))
    }
}

impl<K: Eq + Hash, V: Clone> SecondCache<K, V> {
    /// Returns the cached value, or as `Err` the generation for [`insert`](Self::insert).
    pub(super) fn find(&self, key: &K, now: OffsetDateTime) -> Result<V, Generation> {
        let entries = self.entries();
        let (value, looked_up_at) = entries.by_key.get(key).ok_or(entries.generation)?;
        // After the clock was set back, the age of an entry is unknown.
        let is_fresh = *looked_up_at <= now && now - *looked_up_at < ENTRY_TTL;
        if is_fresh { Ok(value.clone()) } else { Err(entries.generation) }
    }

    /// Stores the value of a lookup, unless the cache was cleared in the meantime.
    pub(super) fn insert(&self, key: K, value: V, (generation, looked_up_at): (Generation, OffsetDateTime)) {
        let mut entries = self.entries();
        if generation != entries.generation {
            return;
        }
        if entries.by_key.len() >= MAX_ENTRIES {
            entries.by_key.clear();
        }
        entries.by_key.insert(key, (value, looked_up_at));
    }

    /// Removes all entries. Lookups that run now are not stored.
    pub(super) fn clear(&self) {
        let mut entries = self.entries();
        entries.generation = entries.generation.wrapping_add(1);
        entries.by_key.clear();
    }

    /// Locks the entries. A poisoned lock is harmless, because no code panics while it is held.
    fn entries(&self) -> MutexGuard<'_, Entries<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

    #[test]
    fn entry_expires_after_one_second() {
        let cache = SecondCache::default();
        assert_eq!(cache.find(&"scout", NOW), Err(0));
        cache.insert("scout", 7, (0, NOW));
        let table = [(-1, false), (0, true), (999, true), (1000, false)];
        for (milliseconds, is_known) in table {
            let known = cache.find(&"scout", NOW + Duration::milliseconds(milliseconds));
            assert_eq!(known.is_ok(), is_known, "{milliseconds}");
        }
        assert_eq!(cache.find(&"scout", NOW), Ok(7));
        assert_eq!(cache.find(&"scouts", NOW), Err(0));
    }

    #[test]
    fn lookup_that_began_before_a_clear_is_not_cached() {
        let cache = SecondCache::default();
        cache.insert("scout", 7, (0, NOW));
        cache.clear();
        assert_eq!(cache.find(&"scout", NOW), Err(1));
        cache.insert("scout", 7, (0, NOW));
        assert_eq!(cache.find(&"scout", NOW), Err(1));
        cache.insert("scout", 7, (1, NOW));
        assert_eq!(cache.find(&"scout", NOW), Ok(7));
    }

    #[test]
    fn cache_stays_within_its_limit() {
        let cache = SecondCache::default();
        for number in 0..=MAX_ENTRIES {
            cache.insert(number, (), (0, NOW));
            assert!(cache.entries().by_key.len() <= MAX_ENTRIES);
        }
        assert!(cache.find(&MAX_ENTRIES, NOW).is_ok());
    }
}
