//! How long the client waits.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::time::timeout;

use super::ledger::Sent;

/// How long the client waits. RFC 5321 section 4.5.3.2 has longer ones; the queue tries again, so these suffice. Of the
/// answer to the content it has ten minutes, and so have we.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For a TCP connection, and again for a TLS handshake.
    pub connect: Duration,
    /// For the greeting.
    pub greeting: Duration,
    /// For the answer to a command.
    pub command: Duration,
    /// For a waiting connection to prove that it lives.
    pub check: Duration,
    /// How long it is taken to live without a proof, where the mail before was taken.
    pub fresh: Duration,
    /// For a block of the content to be taken.
    pub data_block: Duration,
    /// For the answer to the content. The server has the mail by then: giving up early sends it twice.
    pub data_end: Duration,
    /// For one mail in all, but for the answer to its content. Together they must be shorter than the time for which the
    /// queue lends a mail out.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            greeting: Duration::from_mins(1),
            command: Duration::from_mins(1),
            check: Duration::from_secs(5),
            fresh: Duration::from_secs(1),
            data_block: Duration::from_mins(1),
            data_end: Duration::from_mins(10),
            total: Duration::from_mins(4),
        }
    }
}

/// Time for one code in all, but for the reply to its content.
const CODE_TOTAL: Duration = Duration::from_secs(30);
/// Time for the reply to the content of a code. A code that is sent twice does no harm.
const CODE_DATA_END: Duration = Duration::from_secs(30);

impl Timeouts {
    /// Returns the limits for a code: hosts of strangers, who ask for codes freely, hold a place only for a short time.
    pub(crate) fn for_codes(self) -> Self {
        Self { data_end: self.data_end.min(CODE_DATA_END), total: self.total.min(CODE_TOTAL), ..self }
    }

    /// Does the work of handing a mail over, in all the time that it may take; `None` when that is not enough. Once the
    /// mail is out, its answer has a time of its own.
    pub(crate) async fn in_all<T>(&self, sent: &Sent, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        match timeout(self.total, &mut work).await {
            Ok(done) => Some(done),
            Err(_) if sent.is_true() => Some(work.await),
            Err(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_is_handed_over_before_its_claim_runs_out() {
        let times = Timeouts::default();
        assert!(times.total + times.data_end < inboxd_core::app::LEASE);
        assert!(times.data_end >= Duration::from_mins(10), "RFC 5321, section 4.5.3.2.6");
        let codes = times.for_codes();
        assert!(codes.total + codes.data_end <= Duration::from_mins(1), "codes expire within minutes");
    }
}
