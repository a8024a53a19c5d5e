//! Policies in memory in front of the store: a delivery to a busy domain costs no query.

use std::sync::Arc;

use inboxd_core::model::StsPolicy;
use inboxd_core::ports::{StoreError, StsPolicyStore};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use time::{Duration, OffsetDateTime};

/// How many bytes the entries take at most. Any sender can make us look up as many domains as it likes.
const MAX_CACHE_BYTES: u64 = 8 * 1024 * 1024;
/// What an entry counts for beside its texts.
const ENTRY_BYTES: usize = 300;
/// How long an entry is in use before the store is read again: another process may have fetched a newer policy.
const ENTRY_TTL: Duration = Duration::minutes(1);
/// How long a policy that could not be fetched is not fetched again (RFC 8461, section 3.3).
const RETRY_DELAY: Duration = Duration::minutes(5);

/// What is known of a domain.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) policy: Option<Arc<StsPolicy>>,
    /// When the store was read.
    loaded_at: OffsetDateTime,
    /// When fetching failed.
    failed_at: Option<OffsetDateTime>,
}

impl Entry {
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

/// Returns whether something of this age is that young. What is of the future comes from a clock that was wrong.
fn is_within(age: Duration, limit: Duration) -> bool {
    !age.is_negative() && age < limit
}

/// The stored policies, the last used ones in memory.
pub(super) struct CachedPolicies {
    store: Arc<dyn StsPolicyStore>,
    entries: Cache<String, Entry>,
}

impl CachedPolicies {
    pub(super) fn new(store: Arc<dyn StsPolicyStore>) -> Self {
        let weigh = |domain: &String, entry: &Entry| {
            let bytes = entry.policy.as_ref().map_or(0, |policy| policy.text_bytes() + 24 * policy.hosts.len());
            u32::try_from(ENTRY_BYTES + domain.len() + bytes).unwrap_or(u32::MAX)
        };
        let entries = Cache::builder().max_capacity(MAX_CACHE_BYTES).weigher(weigh);
        Self { store, entries: entries.eviction_policy(EvictionPolicy::lru()).build() }
    }

    /// Returns what is known of a domain. Where the store cannot be read, a valid policy in memory stays in force.
    pub(super) async fn load(&self, domain: &str, now: OffsetDateTime) -> Result<Entry, StoreError> {
        let cached = self.entries.get(domain);
        if let Some(entry) = &cached
            && is_within(now - entry.loaded_at, ENTRY_TTL)
        {
            return Ok(entry.clone());
        }
        match self.store.load_sts_policy(domain, now).await {
            Ok(stored) => {
                let failed_at = cached.and_then(|entry| entry.failed_at);
                Ok(self.insert(domain, &Entry { policy: stored.map(Arc::new), loaded_at: now, failed_at }))
            }
            Err(error) => {
                let is_known = |entry: &Entry| entry.policy.as_ref().is_some_and(|policy| policy.is_valid(now));
                cached.filter(is_known).ok_or(error)
            }
        }
    }

    /// Stores the policy of a domain, for all processes first.
    pub(super) async fn save(
        &self,
        domain: &str,
        policy: StsPolicy,
        now: OffsetDateTime,
    ) -> Result<Arc<StsPolicy>, StoreError> {
        self.store.save_sts_policy(domain, &policy).await?;
        let policy = Arc::new(policy);
        self.insert(domain, &Entry::fetched(Arc::clone(&policy), now));
        Ok(policy)
    }

    /// Stores an entry in memory and returns it, with the newer policy of it and the one before: a task that loaded early
    /// may be late.
    pub(super) fn insert(&self, domain: &str, entry: &Entry) -> Entry {
        let newer = |before: &Entry| {
            let fetched_at = |entry: &Entry| entry.policy.as_ref().map(|policy| policy.fetched_at);
            let limit = fetched_at(entry).unwrap_or(OffsetDateTime::UNIX_EPOCH);
            before.policy.clone().filter(|policy| policy.fetched_at > limit && policy.fetched_at <= entry.loaded_at)
        };
        let inserted = self.entries.entry_by_ref(domain).and_upsert_with(|before| {
            let newer = before.and_then(|before| newer(before.value()));
            Entry { policy: newer.or_else(|| entry.policy.clone()), ..entry.clone() }
        });
        inserted.into_value()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::direct::sts::policy::parse_policy;
    use crate::direct::tests::StoredPolicies;

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn policy(id: &str, fetched_at: OffsetDateTime) -> StsPolicy {
        let text = format!("version: STSv1\nmode: enforce\n{}max_age: 86400\n", "mx: a.example\n".repeat(100));
        parse_policy(&text, id, fetched_at).unwrap()
    }

    fn cached() -> (Arc<StoredPolicies>, CachedPolicies) {
        let store = Arc::new(StoredPolicies::default());
        (Arc::clone(&store), CachedPolicies::new(store))
    }

    async fn id(cache: &CachedPolicies, now: OffsetDateTime) -> Option<String> {
        cache.load("out.example", now).await.unwrap().policy.map(|policy| policy.id.clone())
    }

    #[tokio::test]
    async fn policy_in_memory_is_loaded_once_a_minute() {
        let (store, cache) = cached();
        cache.save("out.example", policy("1", NOW), NOW).await.unwrap();
        store.save_sts_policy("out.example", &policy("2", NOW)).await.unwrap();
        for (seconds, expected, loads) in [(0, "1", 0), (59, "1", 0), (60, "2", 1), (119, "2", 1), (-1, "2", 2)] {
            assert_eq!(id(&cache, NOW + Duration::seconds(seconds)).await.as_deref(), Some(expected), "{seconds}");
            assert_eq!(store.loads(), loads, "{seconds}");
        }
    }

    #[tokio::test]
    async fn late_load_keeps_newer_policy() {
        let (_store, cache) = cached();
        let now = NOW + Duration::seconds(1);
        cache.save("out.example", policy("new", now), now).await.unwrap();
        let late = |policy| Entry { policy, loaded_at: now, failed_at: None };
        for before in [None, Some(Arc::new(policy("old", NOW)))] {
            assert_eq!(cache.insert("out.example", &late(before)).policy.unwrap().id, "new");
        }
    }

    #[tokio::test]
    async fn failing_store_is_an_error_unless_policy_is_in_memory() {
        let (store, cache) = cached();
        store.set_failing(true);
        assert!(cache.load("out.example", NOW).await.is_err());
        assert!(cache.save("out.example", policy("1", NOW), NOW).await.is_err());
        assert!(cache.load("out.example", NOW).await.is_err(), "what was not stored is not in memory");
        store.set_failing(false);
        cache.save("out.example", policy("1", NOW), NOW).await.unwrap();
        store.set_failing(true);
        assert_eq!(id(&cache, NOW + Duration::hours(23)).await.as_deref(), Some("1"));
        assert!(cache.load("out.example", NOW + Duration::hours(24)).await.is_err(), "it has expired");
    }

    #[tokio::test]
    async fn memory_is_bounded_by_bytes() {
        let (_store, cache) = cached();
        for number in 0..20_000 {
            cache.insert(&format!("d{number}.example"), &Entry::fetched(Arc::new(policy("1", NOW)), NOW));
        }
        cache.entries.run_pending_tasks();
        assert!(cache.entries.weighted_size() <= MAX_CACHE_BYTES);
        assert!(cache.entries.contains_key("d19999.example") && !cache.entries.contains_key("d0.example"));
    }
}
