//! Spam filter: rspamd if configured, and built-in checks otherwise or while rspamd fails.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::model::SpamReport;
use inboxd_core::ports::{SpamFilter, SuspectMail};
use inboxd_core::rules::spam::BuiltIn;
use inboxd_outbound::{RspamdClient, RspamdError, RspamdUrl};
use tokio::time::Instant;

use crate::failure::{ErrorContext, Failure};

/// Delay before the next request after a failure of rspamd: no mail waits for it until then.
const RSPAMD_RETRY_DELAY: Duration = Duration::from_secs(10);
/// Consecutive timeouts that count as a failure. A single one may be caused by a crafted message.
const MAX_SILENCES: u32 = 3;

/// Creates the configured filter.
pub(crate) fn filter(url: Option<&RspamdUrl>) -> Result<Arc<dyn SpamFilter>, Failure> {
    let Some(url) = url else { return Ok(Arc::new(BuiltIn)) };
    let rspamd = RspamdClient::new(url.clone()).context("TLS cannot be set up")?;
    Ok(Arc::new(RspamdOrBuiltIn { rspamd, health: Mutex::new(Health::default()) }))
}

/// Filter that uses rspamd, and the built-in checks while it fails.
struct RspamdOrBuiltIn {
    rspamd: RspamdClient,
    health: Mutex<Health>,
}

/// Known state of rspamd.
#[derive(Debug, Default)]
struct Health {
    /// Consecutive timeouts.
    silences: u32,
    /// End of the delay. Afterwards one mail sends a request, and others wait for its result.
    rests_until: Option<Instant>,
}

impl Health {
    /// Returns whether a mail may send a request. The first one after a delay starts the delay again for the others.
    fn may_ask(&mut self, now: Instant) -> bool {
        match self.rests_until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                self.rests_until = Some(now + RSPAMD_RETRY_DELAY);
                true
            }
        }
    }

    /// Records the result of a request.
    fn note(&mut self, answer: &Result<SpamReport, RspamdError>, now: Instant) {
        self.silences = if matches!(answer, Err(RspamdError::TimedOut)) { self.silences + 1 } else { 0 };
        let is_gone = matches!(answer, Err(RspamdError::Unreachable(_))) || self.silences >= MAX_SILENCES;
        if is_gone {
            self.rests_until = Some(now + RSPAMD_RETRY_DELAY);
        } else if self.silences == 0 {
            self.rests_until = None;
        }
    }
}

impl RspamdOrBuiltIn {
    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl SpamFilter for RspamdOrBuiltIn {
    async fn judge(&self, mail: SuspectMail<'_>) -> Option<SpamReport> {
        let may_ask = self.health().may_ask(Instant::now());
        if may_ask {
            let answer = self.rspamd.check(&mail).await;
            self.health().note(&answer, Instant::now());
            match answer {
                Ok(report) => return Some(report),
                Err(error) => {
                    tracing::warn!(%error, hint = "check INBOXD_SPAM_URL", "rspamd failed, built-in checks used");
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged() -> SpamReport {
        SpamReport { filter: String::new(), is_spam: false, score: 0.0, threshold: 1.0, reasons: Vec::new() }
    }

    #[test]
    fn one_mail_cannot_turn_it_off_and_three_silences_or_a_closed_door_can() {
        let now = Instant::now();
        let mut health = Health::default();
        for answer in [Err(RspamdError::TimedOut), Err(RspamdError::TimedOut), Ok(judged()), Err(RspamdError::TimedOut)]
        {
            health.note(&answer, now);
            assert!(health.may_ask(now), "{answer:?}");
        }
        health.note(&Err(RspamdError::NotProcessed("it answered 400".to_owned())), now);
        assert!(health.may_ask(now));
        for _ in 0..MAX_SILENCES {
            health.note(&Err(RspamdError::TimedOut), now);
        }
        assert!(!health.may_ask(now));
        let mut health = Health::default();
        health.note(&Err(RspamdError::Unreachable("closed".to_owned())), now);
        assert!(!health.may_ask(now));
    }

    #[test]
    fn after_a_rest_one_mail_asks_and_its_answer_is_for_all() {
        let now = Instant::now();
        let mut health = Health::default();
        health.note(&Err(RspamdError::Unreachable("closed".to_owned())), now);
        let later = now + RSPAMD_RETRY_DELAY;
        assert!(health.may_ask(later));
        assert!(!health.may_ask(later), "one is enough");
        health.note(&Ok(judged()), later);
        assert!(health.may_ask(later) && health.may_ask(later));
    }
}
