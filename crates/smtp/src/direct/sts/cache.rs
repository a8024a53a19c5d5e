//! In-memory cache in front of stored MTA-STS policies.

use std::sync::Arc;

use inboxd_core::model::StsPolicy;
use inboxd_core::ports::{StoreError, StsPolicyStore};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use time::{Duration, OffsetDateTime};

/// Limit of the cache. Any sender can make us look up any number of domains.
const MAX_CACHE_BYTES: u64 = 8 * 1024 * 1024;
/// Size of an entry without its texts.
const ENTRY_BYTES: usize = 300;
/// Age at which an entry is read from the store again, because another process may have fetched a newer policy.
const ENTRY_TTL: Duration = Duration::minutes(1);
/// Delay after a failed fetch (RFC 8461, section 3.3).
const RETRY_DELAY: Duration = Duration::minutes(5);

/// Cached policy of a domain.
#[derive(Debug, Clone)]
pub(super) struct StsEntry {
    pub(super) policy: Option<Arc<StsPolicy>>,
    /// Time of the last read from the store.
    loaded_at: OffsetDateTime,
    /// Time of the last failed fetch.
    failed_at: Option<OffsetDateTime>,
}

impl StsEntry {
    pub(super) fn fetched(policy: Arc<StsPolicy>, now: OffsetDateTime) -> Self {
        Self { policy: Some(policy), loaded_at: now, failed_at: None }
    }

    pub(super) fn failed(self, now: OffsetDateTime) -> Self {
        Self { failed_at: Some(now), ..self }
    }

    /// Returns whether the policy must not be fetched yet.
    pub(super) fn is_paused(&self, now: OffsetDateTime) -> bool {
        self.failed_at.is_some_and(|failed_at| is_within(now - failed_at, RETRY_DELAY))
    }
}

/// Returns whether an age is below a limit. A negative age stems from a wrong clock and does not count.
fn is_within(age: Duration, limit: Duration) -> bool {
    !age.is_negative() && age < limit
}

/// Policy store with the most recently used policies in memory.
pub(super) struct StsCache {
    store: Arc<dyn StsPolicyStore>,
    entries: Cache<String, StsEntry>,
}

impl StsCache {
    pub(super) fn new(store: Arc<dyn StsPolicyStore>) -> Self {
        let weigh = |domain: &String, entry: &StsEntry| {
            let bytes = entry.policy.as_ref().map_or(0, |policy| policy.text_bytes() + 24 * policy.hosts.len());
            u32::try_from(ENTRY_BYTES + domain.len() + bytes).unwrap_or(u32::MAX)
        };
        let entries = Cache::builder().max_capacity(MAX_CACHE_BYTES).weigher(weigh);
        Self { store, entries: entries.eviction_policy(EvictionPolicy::lru()).build() }
    }

    /// Returns the entry of a domain. If the store fails, a valid policy in memory stays in force.
    pub(super) async fn load(&self, domain: &str, now: OffsetDateTime) -> Result<StsEntry, StoreError> {
        let cached = self.entries.get(domain);
        if let Some(entry) = &cached
            && is_within(now - entry.loaded_at, ENTRY_TTL)
        {
            return Ok(entry.clone());
        }
        match self.store.load_sts_policy(domain, now).await {
            Ok(stored) => {
                let failed_at = cached.and_then(|entry| entry.failed_at);
                Ok(self.insert(domain, &StsEntry { policy: stored.map(Arc::new), loaded_at: now, failed_at }))
            }
            Err(error) => {
                let is_known = |entry: &StsEntry| entry.policy.as_ref().is_some_and(|policy| policy.is_valid(now));
                cached.filter(is_known).ok_or(error)
            }
        }
    }

    /// Stores the policy of a domain, in the shared store first.
    pub(super) async fn save(
        &self,
        domain: &str,
        policy: StsPolicy,
        now: OffsetDateTime,
    ) -> Result<Arc<StsPolicy>, StoreError> {
        self.store.save_sts_policy(domain, &policy).await?;
        let policy = Arc::new(policy);
        self.insert(domain, &StsEntry::fetched(Arc::clone(&policy), now));
        Ok(policy)
    }

    /// Inserts an entry and returns it with the newer policy of both, because a task that read earlier may insert
    /// later.
    pub(super) fn insert(&self, domain: &str, entry: &StsEntry) -> StsEntry {
        let newer = |before: &StsEntry| {
            let fetched_at = |entry: &StsEntry| entry.policy.as_ref().map(|policy| policy.fetched_at);
            let limit = fetched_at(entry).unwrap_or(OffsetDateTime::UNIX_EPOCH);
            before.policy.clone().filter(|policy| policy.fetched_at > limit && policy.fetched_at <= entry.loaded_at)
        };
        let inserted = self.entries.entry_by_ref(domain).and_upsert_with(|before| {
            let newer = before.and_then(|before| newer(before.value()));
            StsEntry { policy: newer.or_else(|| entry.policy.clone()), ..entry.clone() }
        });
        inserted.into_value()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failed step fails the test")]
mod tests {
    use super::*;
    use crate::direct::sts::policy::parse_policy;
    use crate::direct::tests::StoredPolicies;

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn policy(id: &str, fetched_at: OffsetDateTime) -> StsPolicy {
        let text = format!("version: STSv1\nmode: enforce\n{}max_age: 86400\n", "mx: a.example\n".repeat(100));
        parse_policy(&text, id, fetched_at).unwrap()
    }

    fn cached() -> (Arc<StoredPolicies>, StsCache) {
        let store = Arc::new(StoredPolicies::default());
        (Arc::clone(&store), StsCache::new(store))
    }

    async fn id(cache: &StsCache, now: OffsetDateTime) -> Option<String> {
        cache.load("out.example", now).await.unwrap().policy.map(|policy| policy.id.clone())
    }

    #[tokio::test]
    async fn cached_policy_is_reloaded_after_one_minute() {
        let (store, cache) = cached();
        cache.save("out.example", policy("1", NOW), NOW).await.unwrap();
        store.save_sts_policy("out.example", &policy("2", NOW)).await.unwrap();
        for (seconds, expected, loads) in [(0, "1", 0), (59, "1", 0), (60, "2", 1), (119, "2", 1), (-1, "2", 2)] {
            assert_eq!(id(&cache, NOW + Duration::seconds(seconds)).await.as_deref(), Some(expected), "{seconds}");
            assert_eq!(store.loads(), loads, "{seconds}");
        }
    }

    #[tokio::test]
    async fn late_load_does_not_replace_newer_policy() {
        let (_store, cache) = cached();
        let now = NOW + Duration::seconds(1);
        cache.save("out.example", policy("new", now), now).await.unwrap();
        let late = |policy| StsEntry { policy, loaded_at: now, failed_at: None };
        for before in [None, Some(Arc::new(policy("old", NOW)))] {
            assert_eq!(cache.insert("out.example", &late(before)).policy.unwrap().id, "new");
        }
    }

    #[tokio::test]
    async fn failing_store_is_an_error_without_cached_policy() {
        let (store, cache) = cached();
        store.set_failing(true);
        assert!(cache.load("out.example", NOW).await.is_err());
        assert!(cache.save("out.example", policy("1", NOW), NOW).await.is_err());
        assert!(cache.load("out.example", NOW).await.is_err(), "an unstored policy is not cached");
        store.set_failing(false);
        cache.save("out.example", policy("1", NOW), NOW).await.unwrap();
        store.set_failing(true);
        assert_eq!(id(&cache, NOW + Duration::hours(23)).await.as_deref(), Some("1"));
        assert!(cache.load("out.example", NOW + Duration::hours(24)).await.is_err(), "it has expired");
    }

    #[tokio::test]
    async fn cache_is_bounded_by_bytes() {
        let (_store, cache) = cached();
        for number in 0..20_000 {
            cache.insert(&format!("d{number}.example"), &StsEntry::fetched(Arc::new(policy("1", NOW)), NOW));
        }
        cache.entries.run_pending_tasks();
        assert!(cache.entries.weighted_size() <= MAX_CACHE_BYTES);
        assert!(cache.entries.contains_key("d19999.example") && !cache.entries.contains_key("d0.example"));
    }
}
