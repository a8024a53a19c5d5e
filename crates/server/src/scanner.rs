//! External scanner: skipped while it fails, with a share of its time for each organization.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::app::{TurnBounds, TurnQueue};
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::{ContentScanner, SuspectMail};
use inboxd_core::rules::trust::ScannerFinding;
use inboxd_outbound::{Authorities, ScannerClient, ScannerError};
use tokio::time::{Instant, timeout};

use crate::config::ScannerConfig;
use crate::failure::{ErrorContext, Failure};

/// Concurrent scans: 32, of one organization 16, and another one only while as many are free as it then has.
const SCAN_BOUNDS: TurnBounds = TurnBounds { running: 32, running_each: 16, shared: 32, waiting_each: 64 };
/// Consecutive failures after which messages are not scanned for a time. A crafted message causes a single one.
const MAX_FAILURES: u32 = 5;
/// Time without scans. Afterwards one message is scanned, and its result decides for the others.
const REST: Duration = Duration::from_secs(30);

/// Creates the client of the configured scanner.
pub(crate) fn client(config: &ScannerConfig, authorities: &Authorities) -> Result<ScannerClient, Failure> {
    let token = config.token.as_ref().map(crate::config::Secret::reveal);
    ScannerClient::new(config.url.clone(), token, config.timeout, authorities).context("TLS cannot be set up")
}

/// Creates the configured scanner.
pub(crate) fn scanner(
    config: Option<&ScannerConfig>,
    authorities: &Authorities,
) -> Result<Option<Arc<dyn ContentScanner>>, Failure> {
    let Some(config) = config else { return Ok(None) };
    Ok(Some(Arc::new(BoundedScanner {
        client: client(config, authorities)?,
        timeout: config.timeout,
        turns: TurnQueue::new(SCAN_BOUNDS),
        breaker: Mutex::new(Breaker::default()),
    })))
}

/// Scanner that delays a message by at most its time limit.
struct BoundedScanner {
    client: ScannerClient,
    timeout: Duration,
    turns: TurnQueue<OrganizationId>,
    breaker: Mutex<Breaker>,
}

/// Known state of the scanner.
#[derive(Debug, Default)]
struct Breaker {
    /// Consecutive failures.
    failures: u32,
    /// End of the rest.
    rests_until: Option<Instant>,
}

impl Breaker {
    /// Returns whether a message may be scanned. The first one after a rest starts the rest again for the others.
    fn may_scan(&mut self, now: Instant) -> bool {
        match self.rests_until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                self.rests_until = Some(now + REST);
                true
            }
        }
    }

    /// Records the result of a scan. Returns whether the scanner responds again after a rest.
    fn note(&mut self, is_success: bool, now: Instant) -> bool {
        if is_success {
            self.failures = 0;
            return self.rests_until.take().is_some();
        }
        self.failures = self.failures.saturating_add(1);
        if self.failures >= MAX_FAILURES {
            self.rests_until = Some(now + REST);
        }
        false
    }
}

impl BoundedScanner {
    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn result(
        &self,
        organization_id: OrganizationId,
        mail: &SuspectMail<'_>,
    ) -> Option<Result<Vec<ScannerFinding>, ScannerError>> {
        let start = Instant::now();
        // The other half of the time is left for the scan, so that a queue is no failure of the scanner.
        let turn = timeout(self.timeout / 2, self.turns.enter(organization_id)).await;
        let Ok(Ok(_turn)) = turn else {
            tracing::warn!(%organization_id, "scanner busy, message not scanned");
            return None;
        };
        Some(self.client.scan(mail, self.timeout.saturating_sub(start.elapsed())).await)
    }
}

#[async_trait]
impl ContentScanner for BoundedScanner {
    async fn scan(&self, organization_id: OrganizationId, mail: SuspectMail<'_>) -> Vec<ScannerFinding> {
        let may_scan = self.breaker().may_scan(Instant::now());
        if !may_scan {
            return Vec::new();
        }
        let Some(result) = self.result(organization_id, &mail).await else { return Vec::new() };
        let responds_again = self.breaker().note(result.is_ok(), Instant::now());
        if responds_again {
            tracing::info!("scanner responds again");
        }
        result.unwrap_or_else(|error| {
            tracing::warn!(%error, hint = "check INBOXD_SCANNER_URL", "scanner failed, message not scanned");
            Vec::new()
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn one_organization_leaves_turns_to_others() {
        let [one, other] = [1, 2].map(|number| OrganizationId(uuid::Uuid::from_u128(number)));
        let turns = TurnQueue::new(SCAN_BOUNDS);
        let enter = |organization_id| turns.enter(organization_id).now_or_never().and_then(Result::ok);
        let held: Vec<_> = std::iter::from_fn(|| enter(one)).collect();
        assert_eq!(held.len(), SCAN_BOUNDS.running_each);
        assert!(enter(other).is_some() && enter(one).is_none());
    }

    #[test]
    fn only_consecutive_failures_start_a_rest() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        for _ in 1..MAX_FAILURES {
            assert!(!breaker.note(false, now) && breaker.may_scan(now));
        }
        assert!(!breaker.note(true, now), "it never rested");
        for _ in 1..MAX_FAILURES {
            breaker.note(false, now);
            assert!(breaker.may_scan(now));
        }
        breaker.note(false, now);
        assert!(!breaker.may_scan(now) && !breaker.may_scan(now + REST / 2));
    }

    #[test]
    fn one_message_after_a_rest_decides_for_the_others() {
        let now = Instant::now();
        let mut breaker = Breaker { failures: MAX_FAILURES, rests_until: Some(now) };
        assert!(breaker.may_scan(now) && !breaker.may_scan(now), "one is enough");
        breaker.note(false, now);
        assert!(!breaker.may_scan(now + REST / 2), "it failed again");
        assert!(breaker.may_scan(now + REST));
        assert!(breaker.note(true, now + REST));
        assert!(breaker.may_scan(now + REST) && breaker.may_scan(now + REST));
    }
}
