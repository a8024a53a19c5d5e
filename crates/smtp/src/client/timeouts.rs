//! Timeouts of the SMTP client.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::time::timeout;

use super::recipient_outcomes::ContentSent;

/// Time limits of a delivery.
///
/// RFC 5321, section 4.5.3.2 has longer ones. The queue retries, so these suffice. The limit for the reply to the
/// content is the ten minutes of the RFC.
#[derive(Debug, Clone, Copy)]
pub struct ClientTimeouts {
    /// Limit for a TCP connection, and again for a TLS handshake.
    pub connect: Duration,
    /// Limit for the greeting.
    pub greeting: Duration,
    /// Limit for the reply to a command.
    pub command: Duration,
    /// Limit for the liveness check of an idle connection.
    pub liveness_check: Duration,
    /// Time after an accepted message within which a connection needs no liveness check.
    pub liveness_ttl: Duration,
    /// Limit for sending one block of the content.
    pub data_block: Duration,
    /// Limit for the reply to the content. The server has the message by then, so an early timeout duplicates it.
    pub data_end: Duration,
    /// Limit for one message without the reply to its content. The sum of both must be shorter than the lease of the
    /// queue.
    pub total: Duration,
}

impl Default for ClientTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            greeting: Duration::from_mins(1),
            command: Duration::from_mins(1),
            liveness_check: Duration::from_secs(5),
            liveness_ttl: Duration::from_secs(1),
            data_block: Duration::from_mins(1),
            data_end: Duration::from_mins(10),
            total: Duration::from_mins(4),
        }
    }
}

/// Total limit for a sign-in code without the reply to its content.
const CODE_TOTAL_TIMEOUT: Duration = Duration::from_secs(30);
/// Limit for the reply to the content of a code. A duplicate code does no harm.
const CODE_DATA_END_TIMEOUT: Duration = Duration::from_secs(30);

impl ClientTimeouts {
    /// Returns the limits for sign-in codes. Anyone can request codes for any host, so a slow host must release its
    /// permit soon.
    pub(crate) fn for_codes(self) -> Self {
        Self { data_end: self.data_end.min(CODE_DATA_END_TIMEOUT), total: self.total.min(CODE_TOTAL_TIMEOUT), ..self }
    }

    /// Runs a delivery within the total limit. Returns `None` when the limit expires before the content is sent;
    /// afterwards the reply has its own limit.
    pub(crate) async fn run_within_total<T>(&self, sent: &ContentSent, work: impl Future<Output = T>) -> Option<T> {
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
    fn delivery_limits_are_shorter_than_lease() {
        let times = ClientTimeouts::default();
        assert!(times.total + times.data_end < inboxd_core::app::LEASE);
        assert!(times.data_end >= Duration::from_mins(10), "RFC 5321, section 4.5.3.2.6");
        let codes = times.for_codes();
        assert!(codes.total + codes.data_end <= Duration::from_mins(1), "codes expire within minutes");
    }
}
