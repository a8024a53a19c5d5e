//! Short-term memory of unreachable hosts and broken TLS.

use std::net::SocketAddr;
use std::time::Duration;

use moka::sync::Cache;
use tokio::time::Instant;

/// Delay after the first failure of a host. It is shorter than the first retry delay of the queue, so a second attempt
/// contacts the host.
const INITIAL_RETRY_DELAY: Duration = Duration::from_secs(5);
/// Limit of the delay. Each failure doubles it.
const MAX_RETRY_DELAY: Duration = Duration::from_mins(5);
/// Time after the delay during which a failure counts for the next delay.
const FAILURE_TTL: Duration = Duration::from_mins(10);
/// Time during which a host with broken TLS receives mail in plain text.
const BROKEN_TLS_TTL: Duration = Duration::from_mins(10);
/// Number of entries of each kind. Beyond it the cache evicts those that are used least.
const MAX_TRACKED_HOSTS: u64 = 10_000;

/// Failure of an unreachable host.
#[derive(Clone)]
struct HostFailure {
    until: Instant,
    pause: Duration,
    why: String,
}

/// Status of hosts by address. Entries carry their times, which follow the clock of the runtime.
pub(super) struct HostStatus {
    unreachable: Cache<SocketAddr, HostFailure>,
    /// Key with the host name, so the owner of another name of the address cannot affect this one.
    broken_tls: Cache<(SocketAddr, String), Instant>,
}

impl Default for HostStatus {
    fn default() -> Self {
        let broken_tls = Cache::builder().max_capacity(MAX_TRACKED_HOSTS).time_to_live(BROKEN_TLS_TTL).build();
        let unreachable =
            Cache::builder().max_capacity(MAX_TRACKED_HOSTS).time_to_live(MAX_RETRY_DELAY + FAILURE_TTL).build();
        Self { unreachable, broken_tls }
    }
}

impl HostStatus {
    /// Returns the reason not to contact a host now, if there is one.
    pub(super) fn unreachable_reason(&self, address: SocketAddr) -> Option<String> {
        let failure = self.unreachable.get(&address).filter(|failure| Instant::now() < failure.until)?;
        Some(format!("{}, a moment ago", failure.why))
    }

    /// Records that a host is unreachable or silent.
    pub(super) fn mark_unreachable(&self, address: SocketAddr, why: &str) {
        let now = Instant::now();
        let known = self.unreachable.get(&address).filter(|failure| now < failure.until + FAILURE_TTL);
        // Concurrent failures count once.
        if known.as_ref().is_some_and(|failure| now < failure.until) {
            return;
        }
        let pause = known.map_or(INITIAL_RETRY_DELAY, |failure| (failure.pause * 2).min(MAX_RETRY_DELAY));
        self.unreachable.insert(address, HostFailure { until: now + pause, pause, why: why.to_owned() });
    }

    /// Records that a host accepted or refused a message.
    pub(super) fn mark_reachable(&self, address: SocketAddr) {
        self.unreachable.invalidate(&address);
    }

    /// Returns whether TLS of the host is broken.
    pub(super) fn has_broken_tls(&self, address: SocketAddr, name: &str) -> bool {
        self.broken_tls.get(&(address, name.to_owned())).is_some_and(|until| Instant::now() < until)
    }

    /// Records that TLS of the host is broken.
    pub(super) fn mark_broken_tls(&self, address: SocketAddr, name: &str) {
        self.broken_tls.insert((address, name.to_owned()), Instant::now() + BROKEN_TLS_TTL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn retry_delay_doubles_with_each_failure() {
        let (host_status, host) = (HostStatus::default(), SocketAddr::from(([192, 0, 2, 1], 25)));
        assert_eq!(host_status.unreachable_reason(host), None);
        for pause in [5, 10, 20, 40, 80, 160, 300, 300] {
            // Two concurrent failures count once.
            host_status.mark_unreachable(host, "no answer");
            host_status.mark_unreachable(host, "no answer either");
            assert_eq!(host_status.unreachable_reason(host).as_deref(), Some("no answer, a moment ago"));
            tokio::time::advance(Duration::from_millis(1000 * pause - 1)).await;
            assert!(host_status.unreachable_reason(host).is_some(), "{pause}");
            tokio::time::advance(Duration::from_millis(1)).await;
            assert_eq!(host_status.unreachable_reason(host), None, "{pause}");
        }
        host_status.mark_reachable(host);
        host_status.mark_unreachable(host, "again");
        tokio::time::advance(INITIAL_RETRY_DELAY).await;
        assert_eq!(host_status.unreachable_reason(host), None);
    }

    #[tokio::test(start_paused = true)]
    async fn host_failures_and_broken_tls_expire() {
        let (host_status, host) = (HostStatus::default(), SocketAddr::from(([192, 0, 2, 1], 25)));
        for pause in [INITIAL_RETRY_DELAY, INITIAL_RETRY_DELAY] {
            host_status.mark_unreachable(host, "no answer");
            tokio::time::advance(pause + FAILURE_TTL).await;
            assert_eq!(host_status.unreachable_reason(host), None);
            // The failure of another host does not affect this one.
            host_status.mark_unreachable(SocketAddr::from(([192, 0, 2, 2], 25)), "no answer");
        }
        assert!(!host_status.has_broken_tls(host, "mx.example"));
        host_status.mark_broken_tls(host, "mx.example");
        assert!(host_status.has_broken_tls(host, "mx.example"));
        assert!(!host_status.has_broken_tls(host, "other.example"), "another name is another host");
        tokio::time::advance(BROKEN_TLS_TTL).await;
        assert!(!host_status.has_broken_tls(host, "mx.example"));
    }
}
