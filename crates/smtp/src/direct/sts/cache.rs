//! The policies that are kept, of a bounded number of domains.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::Policy;

/// The most domains of which something is kept. Anybody can have us ask for as many as they like; those that were not
/// asked for in the longest time make room.
const MOST: usize = 10_000;
/// How old a policy becomes at most before it is read anew, so that it is held without a gap (RFC 8461, section 3.3).
const OLD: Duration = Duration::from_hours(24);

/// What is kept of a domain.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    pub(super) policy: Option<Current>,
    /// When it may be asked for again, after it could not be read.
    pub(super) again: Option<Instant>,
}

/// A policy that holds.
#[derive(Debug, Clone)]
pub(super) struct Current {
    pub(super) id: String,
    pub(super) policy: Policy,
    /// When it was read.
    pub(super) read: Instant,
}

impl Current {
    /// Whether it is time to read it again, long before it runs out.
    pub(super) fn is_to_be_read_anew(&self) -> bool {
        self.read.elapsed() >= OLD.min(self.policy.max_age / 2)
    }

    fn holds(&self) -> bool {
        self.read.elapsed() < self.policy.max_age
    }
}

/// What is kept of all domains.
#[derive(Default)]
pub(super) struct Cache {
    /// With the time when each was last asked for.
    all: Mutex<HashMap<String, (Instant, Kept)>>,
}

impl Cache {
    /// What is kept of a domain.
    pub(super) fn of(&self, domain: &str) -> Kept {
        let mut all = self.locked();
        let Some((asked, kept)) = all.get_mut(domain) else { return Kept::default() };
        *asked = Instant::now();
        kept.policy.take_if(|current| !current.holds());
        kept.clone()
    }

    /// Keeps it in place of what was kept of the domain. Where there is no room, what holds nothing goes first.
    pub(super) fn keep(&self, domain: &str, what: Kept) {
        let mut all = self.locked();
        if all.len() >= MOST && !all.contains_key(domain) {
            let holds = |kept: &Kept| kept.policy.as_ref().is_some_and(Current::holds);
            let least = all.iter().min_by_key(|(_, (asked, kept))| (holds(kept), *asked));
            if let Some(least) = least.map(|(domain, _)| domain.clone()) {
                all.remove(&least);
            }
        }
        all.insert(domain.to_owned(), (Instant::now(), what));
    }

    /// The map stays whole even when a holder of the lock has panicked.
    fn locked(&self) -> MutexGuard<'_, HashMap<String, (Instant, Kept)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn held(max_age: u64) -> Kept {
        let text = format!("version: STSv1\nmode: enforce\nmx: a.example\nmax_age: {max_age}\n");
        let policy = Policy::read(&text).unwrap();
        Kept { policy: Some(Current { id: "1".to_owned(), policy, read: Instant::now() }), again: None }
    }

    #[tokio::test(start_paused = true)]
    async fn a_policy_is_read_anew_before_it_runs_out_and_holds_until_then() {
        for (max_age, anew) in [(3600, 1800), (604_800, 86_400)] {
            let cache = Cache::default();
            cache.keep("out.example", held(max_age));
            let current = || cache.of("out.example").policy;
            tokio::time::advance(Duration::from_secs(anew - 1)).await;
            assert!(!current().unwrap().is_to_be_read_anew(), "{max_age}");
            tokio::time::advance(Duration::from_secs(1)).await;
            assert!(current().unwrap().is_to_be_read_anew(), "{max_age}");
            tokio::time::advance(Duration::from_secs(max_age - anew - 1)).await;
            assert!(current().is_some(), "{max_age}");
            tokio::time::advance(Duration::from_secs(1)).await;
            assert!(current().is_none(), "{max_age}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_fills_the_cache_drives_out_what_nobody_asks_for() {
        let cache = Cache::default();
        let tick = async || tokio::time::advance(Duration::from_millis(1)).await;
        cache.keep("used.example", held(86_400));
        cache.keep("unused.example", held(86_400));
        for number in 2..MOST {
            tick().await;
            cache.keep(&format!("d{number}.example"), held(86_400));
        }
        tick().await;
        assert!(cache.of("used.example").policy.is_some());
        // What holds no policy makes room for the next that holds none.
        for number in 0..100 {
            tick().await;
            cache.keep(&format!("none{number}.example"), Kept { policy: None, again: Some(Instant::now()) });
        }
        assert_eq!(cache.locked().len(), MOST);
        assert!(cache.of("unused.example").policy.is_none(), "the least recently used one made room");
        assert!(cache.of("d2.example").policy.is_some(), "only one had to");
        tick().await;
        cache.keep("new.example", held(86_400));
        for domain in ["used.example", "d3.example", "new.example"] {
            assert!(cache.of(domain).policy.is_some(), "{domain}");
        }
        assert_eq!(cache.locked().len(), MOST);
    }
}
