//! Availability of DNSSEC: whether the resolver of the machine passes signatures and keys.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::ValidatingResolver;

/// Interval of probes while DNSSEC is available.
const PROBE_INTERVAL: Duration = Duration::from_mins(10);
/// Interval of probes while it is not.
const FAILED_PROBE_INTERVAL: Duration = Duration::from_mins(1);
/// Time limit of a probe. Messages wait for the first one only.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for which DNSSEC counts as available after the last successful probe. An attacker that removes signatures
/// delays mail in this time, and a resolver that lost them stops no mail for longer.
const AVAILABILITY_TTL: Duration = Duration::from_mins(30);

/// State of the probes of one process.
///
/// A resolver that never passed DNSSEC records stops no mail: its mail is sent as without DANE.
#[derive(Debug, Default)]
pub(crate) struct DnssecAvailability {
    state: Mutex<ProbeState>,
    /// Lock of the task that probes.
    probe: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct ProbeState {
    last_success: Option<Instant>,
    last_probe: Option<Instant>,
    /// Availability in the last log message.
    logged: Option<bool>,
}

impl DnssecAvailability {
    /// Returns whether responses can be validated. Probes the resolver when the last probe is too old.
    pub(crate) async fn check(&self, resolver: &ValidatingResolver) -> bool {
        self.check_with(resolver.probe()).await
    }

    async fn check_with(&self, probe: impl Future<Output = Result<(), String>>) -> bool {
        let (needs_probe, has_result, is_available) = {
            let state = self.lock_state();
            (state.needs_probe(), state.last_probe.is_some(), state.is_available())
        };
        if !needs_probe {
            return is_available;
        }
        // While another task probes, the previous result counts. Without one, the first result is waited for.
        let guard = if has_result { self.probe.try_lock().ok() } else { Some(self.probe.lock().await) };
        if guard.is_none() {
            return is_available;
        }
        // The previous holder of the lock may have probed.
        let needs_probe = self.lock_state().needs_probe();
        if needs_probe {
            let timed_out = || Err("no response in time".to_owned());
            let result = tokio::time::timeout(PROBE_TIMEOUT, probe).await.unwrap_or_else(|_| timed_out());
            self.lock_state().record(&result);
        }
        drop(guard);
        self.lock_state().is_available()
    }

    /// Locks the state. A panic of another holder leaves it consistent.
    fn lock_state(&self) -> MutexGuard<'_, ProbeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProbeState {
    fn needs_probe(&self) -> bool {
        let is_passing = self.last_probe.is_some() && self.last_probe == self.last_success;
        let interval = if is_passing { PROBE_INTERVAL } else { FAILED_PROBE_INTERVAL };
        self.last_probe.is_none_or(|at| at.elapsed() >= interval)
    }

    fn is_available(&self) -> bool {
        self.last_success.is_some_and(|at| at.elapsed() < AVAILABILITY_TTL)
    }

    fn record(&mut self, result: &Result<(), String>) {
        let now = Instant::now();
        self.last_probe = Some(now);
        match result {
            Ok(()) => {
                self.last_success = Some(now);
                if self.logged.replace(true) != Some(true) {
                    tracing::info!("DNSSEC available, DANE in use");
                }
            }
            Err(reason) if self.is_available() => {
                tracing::warn!(reason, "DNSSEC probe failed, mail waits");
            }
            Err(reason) => {
                if self.logged.replace(false) != Some(false) {
                    tracing::warn!(reason, "DNSSEC unavailable, DANE not in use");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn resolver_without_dnssec_is_unavailable_at_once() {
        let (availability, failing) = (DnssecAvailability::default(), || async { Err("no keys".to_owned()) });
        assert!(!availability.check_with(failing()).await);
        // The next probe is a minute later.
        assert!(!availability.check_with(async { Ok(()) }).await);
        tokio::time::advance(FAILED_PROBE_INTERVAL).await;
        assert!(availability.check_with(async { Ok(()) }).await);
    }

    #[tokio::test(start_paused = true)]
    async fn lost_dnssec_stays_available_for_half_an_hour() {
        let (availability, failing) = (DnssecAvailability::default(), || async { Err("no keys".to_owned()) });
        assert!(availability.check_with(async { Ok(()) }).await);
        tokio::time::advance(PROBE_INTERVAL).await;
        assert!(availability.check_with(failing()).await, "its bogus responses defer mail");
        tokio::time::advance(AVAILABILITY_TTL.saturating_sub(PROBE_INTERVAL)).await;
        assert!(!availability.check_with(failing()).await);
        tokio::time::advance(FAILED_PROBE_INTERVAL).await;
        assert!(availability.check_with(async { Ok(()) }).await);
    }

    #[tokio::test(start_paused = true)]
    async fn running_probe_delays_no_other_message() {
        let availability = DnssecAvailability::default();
        assert!(availability.check_with(async { Ok(()) }).await);
        tokio::time::advance(PROBE_INTERVAL).await;
        let start = Instant::now();
        let silent = availability.check_with(std::future::pending());
        let second = async {
            let is_available = availability.check_with(std::future::pending()).await;
            (is_available, start.elapsed())
        };
        let (is_available, second) = tokio::join!(silent, second);
        assert!(is_available);
        assert_eq!(second, (true, Duration::ZERO));
        assert_eq!(start.elapsed(), PROBE_TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn all_messages_wait_for_the_first_result() {
        let availability = DnssecAvailability::default();
        let start = Instant::now();
        let slow = availability.check_with(async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok(())
        });
        let second = availability.check_with(std::future::pending());
        assert_eq!(tokio::join!(slow, second), (true, true));
        assert_eq!(start.elapsed(), Duration::from_secs(2), "the second message does not probe");
    }

    #[tokio::test(start_paused = true)]
    async fn silent_resolver_ends_the_probe() {
        let availability = DnssecAvailability::default();
        let start = Instant::now();
        assert!(!availability.check_with(std::future::pending()).await);
        assert_eq!(start.elapsed(), PROBE_TIMEOUT);
    }
}
