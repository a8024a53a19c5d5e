//! What was found out about hosts a short while ago, so that each mail need not find it out again.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long a host is left alone after it could not be reached for the first time. It is shorter than the first gap of the
/// queue, so that the second attempt of a mail is a real one.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// How long it is left alone at most; each failure doubles the pause.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);
/// How long after its pause a host is still known for having failed.
const FORGET: Duration = Duration::from_mins(10);
/// How long mail goes in the clear to a host whose TLS is broken.
const WITHOUT_TLS: Duration = Duration::from_mins(10);
/// The most hosts of each kind that are remembered.
const MOST: usize = 10_000;

/// A host that could not be reached.
struct Failure {
    until: Instant,
    pause: Duration,
    why: String,
}

/// Hosts by their addresses.
#[derive(Default)]
pub(super) struct Memory {
    unreachable: Mutex<HashMap<SocketAddr, Failure>>,
    /// With the name that the host was looked for by: whoever owns another name of its address says nothing about it.
    without_tls: Mutex<HashMap<(SocketAddr, String), Instant>>,
}

impl Memory {
    /// Why a host is not to be tried now, if so.
    pub(super) fn unreachable(&self, address: SocketAddr) -> Option<String> {
        let known = locked(&self.unreachable);
        let failure = known.get(&address).filter(|failure| Instant::now() < failure.until)?;
        Some(format!("{}, a moment ago", failure.why))
    }

    /// Notes that a host could not be reached, or fell silent.
    pub(super) fn note_unreachable(&self, address: SocketAddr, why: &str) {
        let mut known = locked(&self.unreachable);
        let now = Instant::now();
        // Several that tried at the same time are one failure.
        if known.get(&address).is_some_and(|failure| now < failure.until) {
            return;
        }
        let pause = known.get(&address).map_or(FIRST_PAUSE, |failure| (failure.pause * 2).min(LONGEST_PAUSE));
        known.retain(|_, failure| now < failure.until + FORGET);
        if known.len() < MOST {
            known.insert(address, Failure { until: now + pause, pause, why: why.to_owned() });
        }
    }

    /// Notes that a host took what it was handed, or refused it.
    pub(super) fn note_reached(&self, address: SocketAddr) {
        locked(&self.unreachable).remove(&address);
    }

    /// Whether the host offers TLS that is broken.
    pub(super) fn is_without_tls(&self, address: SocketAddr, name: &str) -> bool {
        locked(&self.without_tls).get(&(address, name.to_owned())).is_some_and(|until| Instant::now() < *until)
    }

    /// Notes that the host offers TLS that is broken.
    pub(super) fn note_without_tls(&self, address: SocketAddr, name: &str) {
        let mut known = locked(&self.without_tls);
        let now = Instant::now();
        known.retain(|_, until| now < *until);
        if known.len() < MOST {
            known.insert((address, name.to_owned()), now + WITHOUT_TLS);
        }
    }
}

/// The maps stay whole even when a holder of the lock has panicked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_host_that_fails_again_is_left_alone_for_longer() {
        let (memory, host) = (Memory::default(), SocketAddr::from(([192, 0, 2, 1], 25)));
        assert_eq!(memory.unreachable(host), None);
        for pause in [5, 10, 20, 40, 80, 160, 300, 300] {
            // Two that failed together count once.
            memory.note_unreachable(host, "no answer");
            memory.note_unreachable(host, "no answer either");
            assert_eq!(memory.unreachable(host).as_deref(), Some("no answer, a moment ago"));
            tokio::time::advance(Duration::from_millis(1000 * pause - 1)).await;
            assert!(memory.unreachable(host).is_some(), "{pause}");
            tokio::time::advance(Duration::from_millis(1)).await;
            assert_eq!(memory.unreachable(host), None, "{pause}");
        }
        memory.note_reached(host);
        memory.note_unreachable(host, "again");
        tokio::time::advance(FIRST_PAUSE).await;
        assert_eq!(memory.unreachable(host), None);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_old_is_forgotten_and_broken_tls_is_tried_again() {
        let (memory, host) = (Memory::default(), SocketAddr::from(([192, 0, 2, 1], 25)));
        for pause in [FIRST_PAUSE, FIRST_PAUSE] {
            memory.note_unreachable(host, "no answer");
            tokio::time::advance(pause + FORGET).await;
            assert_eq!(memory.unreachable(host), None);
            // Somebody else's failure clears what is old.
            memory.note_unreachable(SocketAddr::from(([192, 0, 2, 2], 25)), "no answer");
        }
        assert!(!memory.is_without_tls(host, "mx.example"));
        memory.note_without_tls(host, "mx.example");
        assert!(memory.is_without_tls(host, "mx.example"));
        assert!(!memory.is_without_tls(host, "other.example"), "by another name it is another host");
        tokio::time::advance(WITHOUT_TLS).await;
        assert!(!memory.is_without_tls(host, "mx.example"));
    }
}
