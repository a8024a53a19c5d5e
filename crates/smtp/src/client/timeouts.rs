//! How long the client waits.

use std::time::Duration;

/// How long the client waits. RFC 5321 section 4.5.3.2 has longer ones; the queue tries again, so these suffice.
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
    /// For a block of the content to be taken.
    pub data_block: Duration,
    /// For the answer to the content. The server has the mail by then: giving up early sends it twice.
    pub data_end: Duration,
    /// For one mail in all. It must be shorter than the time for which the queue lends a mail out.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            greeting: Duration::from_mins(1),
            command: Duration::from_mins(1),
            check: Duration::from_secs(5),
            data_block: Duration::from_mins(1),
            data_end: Duration::from_mins(5),
            total: Duration::from_mins(10),
        }
    }
}
