//! Judging spam: rspamd where the operator runs one, and the built-in checks where not, or where it does not answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::model::SpamReport;
use inboxd_core::ports::{SpamFilter, SuspectMail};
use inboxd_core::rules::spam::{self, BuiltIn};
use inboxd_outbound::{Rspamd, RspamdUrl};
use tokio::time::Instant;

use crate::failure::{Failure, While};

/// How long rspamd is left alone after it did not answer: until then no mail waits for it.
const REST: Duration = Duration::from_secs(10);

/// The configured filter.
pub(crate) fn filter(url: Option<&RspamdUrl>) -> Result<Arc<dyn SpamFilter>, Failure> {
    let Some(url) = url else { return Ok(Arc::new(BuiltIn)) };
    let rspamd = Rspamd::new(url.clone()).trying("TLS cannot be set up")?;
    Ok(Arc::new(RspamdOrBuiltIn { rspamd, rests_until: Mutex::new(None) }))
}

/// Asks rspamd, and judges by the built-in checks while it does not answer.
struct RspamdOrBuiltIn {
    rspamd: Rspamd,
    rests_until: Mutex<Option<Instant>>,
}

impl RspamdOrBuiltIn {
    fn is_resting(&self) -> bool {
        self.rests_until.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| Instant::now() < until)
    }

    fn rest(&self) {
        *self.rests_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + REST);
    }
}

#[async_trait]
impl SpamFilter for RspamdOrBuiltIn {
    async fn judge(&self, mail: SuspectMail<'_>) -> SpamReport {
        if !self.is_resting() {
            match self.rspamd.judge(&mail).await {
                Ok(report) => return report,
                Err(error) => {
                    tracing::warn!(%error, "mail is judged by the built-in checks; look at INBOXD_SPAM_URL");
                    self.rest();
                }
            }
        }
        spam::judge(&mail)
    }
}
