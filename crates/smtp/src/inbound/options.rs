//! Options of the receiving server.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::metrics::SmtpMetrics;
use inboxd_core::rules::trusted_proxies::TrustedProxies;

/// Limits and identity of the server. The defaults suit a public server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Host name in greetings and replies.
    pub hostname: String,
    /// Size of the largest message.
    pub max_message_bytes: usize,
    /// Number of recipients of one message (RFC 5321, section 4.5.3.1.8 requires at least 100).
    pub max_recipients: usize,
    /// Total bytes of the copies of one message, one for each recipient. One recipient is always permitted.
    pub max_copies_bytes: usize,
    /// Number of concurrent connections.
    pub max_connections: usize,
    /// Number of concurrent connections from one IPv4 address or IPv6 /64 network.
    pub max_connections_per_ip: usize,
    /// Number of concurrent connections from one IPv4 /24 or IPv6 /48 network.
    pub max_connections_per_network: usize,
    /// Number of invalid commands after which a session is closed.
    pub max_faults: usize,
    /// Number of commands without a stored message after which a session is closed.
    pub max_commands: usize,
    /// Number of unknown recipients after which a session is closed.
    pub max_unknown_recipients: usize,
    /// Bytes of small messages in memory. A network may use a quarter. More goes to the spool.
    pub max_memory_bytes: usize,
    /// Bytes of large messages in spool files. A network may use a quarter.
    pub max_spool_bytes: usize,
    /// Bytes of spooled messages that are in memory for storing. A network may use half.
    pub max_storing_bytes: usize,
    /// Folder of spool files. `None` for the temporary folder of the system.
    pub spool_folder: Option<PathBuf>,
    /// Required bytes per second of a message, averaged over [`ServerTimeouts::transfer_window`].
    pub min_transfer_rate: u64,
    /// TLS configuration. STARTTLS is offered if there is one.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// Proxies that name the client in a PROXY protocol header.
    pub trusted_proxies: TrustedProxies,
    /// Time limits of a session.
    pub timeouts: ServerTimeouts,
    /// Metrics for operators.
    pub metrics: SmtpMetrics,
}

impl ServerOptions {
    /// Returns the number of recipients for a message of this size.
    #[must_use]
    pub(super) fn recipient_limit(&self, message_bytes: usize) -> usize {
        let copies = self.max_copies_bytes.checked_div(message_bytes).unwrap_or(usize::MAX);
        self.max_recipients.min(copies.max(1))
    }

    /// Sets the connection limit, and those of an address and a network to shares of it.
    #[must_use]
    pub fn with_max_connections(self, max_connections: usize) -> Self {
        let share = |divisor: usize, min: usize| (max_connections / divisor).max(min).min(max_connections);
        Self {
            max_connections,
            max_connections_per_ip: share(8, 16),
            max_connections_per_network: share(4, 32),
            ..self
        }
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            hostname: "localhost".to_owned(),
            max_message_bytes: 40 * 1024 * 1024,
            max_recipients: 100,
            max_copies_bytes: 128 * 1024 * 1024,
            max_connections: 1024,
            max_connections_per_ip: 128,
            max_connections_per_network: 256,
            max_faults: 20,
            max_commands: 1000,
            max_unknown_recipients: 100,
            max_memory_bytes: 64 * 1024 * 1024,
            max_spool_bytes: 2 * 1024 * 1024 * 1024,
            max_storing_bytes: 64 * 1024 * 1024,
            spool_folder: None,
            min_transfer_rate: 1024,
            tls: None,
            trusted_proxies: TrustedProxies::default(),
            timeouts: ServerTimeouts::default(),
            metrics: SmtpMetrics::default(),
        }
    }
}

/// Time limits of a session (RFC 5321, section 4.5.3.2).
#[derive(Debug, Clone, Copy)]
pub struct ServerTimeouts {
    /// Limit for EHLO or HELO, from the start of the session or of TLS. It is shorter under connection pressure.
    pub greeting: Duration,
    /// Limit for a whole command line. It is shorter under connection pressure.
    pub command: Duration,
    /// Limit for the next bytes of a message.
    pub data_block: Duration,
    /// Window of the transfer rate. It is a quarter of this under pressure on connections or spool.
    pub transfer_window: Duration,
    /// Limit for sending a reply.
    pub write: Duration,
    /// Limit for a TLS handshake.
    pub handshake: Duration,
    /// Limit for a recipient lookup.
    pub recipient: Duration,
    /// Limit for waiting for memory to store a large message.
    pub memory: Duration,
    /// Limit for storing a message.
    pub store: Duration,
    /// Limit for a whole session.
    pub session: Duration,
    /// Idle time after which a session may yield. Each connection beside it multiplies the idle time.
    pub yield_after: Duration,
    /// Limit for sessions that transfer a message while the server stops.
    pub grace: Duration,
}

impl Default for ServerTimeouts {
    fn default() -> Self {
        Self {
            greeting: Duration::from_secs(30),
            command: Duration::from_mins(5),
            data_block: Duration::from_mins(3),
            transfer_window: Duration::from_mins(1),
            write: Duration::from_mins(3),
            handshake: Duration::from_secs(30),
            recipient: Duration::from_secs(30),
            memory: Duration::from_mins(1),
            store: Duration::from_mins(5),
            session: Duration::from_hours(1),
            yield_after: Duration::from_secs(2),
            grace: Duration::from_secs(20),
        }
    }
}
