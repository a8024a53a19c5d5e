//! What an operator can set.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How the server behaves. Every limit has a default that suits a public server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The name that the server calls itself.
    pub hostname: String,
    /// The largest mail, in octets.
    pub max_message_bytes: usize,
    /// The most recipients of one mail (RFC 5321 section 4.5.3.1.8 asks for at least 100).
    pub max_recipients: usize,
    /// The most bytes of the copies of one message, one for each recipient. One recipient is always allowed.
    pub max_copies_bytes: usize,
    /// The most connections at a time.
    pub max_connections: usize,
    /// The most connections at a time from one IPv4 address, or one IPv6 network of 64 bits.
    pub max_connections_per_ip: usize,
    /// The most connections at a time from one IPv4 network of 24 bits, or one IPv6 network of 48 bits.
    pub max_connections_per_network: usize,
    /// The most commands of a session that make no sense; then it is closed.
    pub max_faults: usize,
    /// The most commands of a session without a mail that is stored; then it is closed.
    pub max_commands: usize,
    /// The most recipients of a session that are not known here; then it is closed.
    pub max_unknown_recipients: usize,
    /// The most bytes of small messages in memory at a time; a network may have a quarter. More goes to the spool.
    pub max_memory_bytes: usize,
    /// The most bytes of large messages in spool files at a time; a network may have a quarter.
    pub max_spool_bytes: usize,
    /// The most bytes of spooled messages in memory at a time while they are stored; a network may have half.
    pub max_storing_bytes: usize,
    /// The folder of spool files; `None` for that of the system.
    pub spool_folder: Option<PathBuf>,
    /// The bytes a second that a client has to send of a message, on average over [`Timeouts::transfer_window`].
    pub min_transfer_rate: u64,
    /// The certificate; STARTTLS is offered when there is one.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// How long anything may take.
    pub timeouts: Timeouts,
}

impl ServerOptions {
    /// Returns how many recipients a message of so many bytes may have.
    #[must_use]
    pub(super) fn recipient_limit(&self, message_bytes: usize) -> usize {
        let copies = self.max_copies_bytes.checked_div(message_bytes).unwrap_or(usize::MAX);
        self.max_recipients.min(copies.max(1))
    }

    /// Sets the cap on connections, and those of an address and a network to their shares of it.
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
            timeouts: Timeouts::default(),
        }
    }
}

/// How long the server waits (RFC 5321 section 4.5.3.2).
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For EHLO or HELO, from the beginning of the session or of TLS. Shorter where connections are scarce.
    pub greeting: Duration,
    /// For a whole command line. Shorter where connections are scarce.
    pub command: Duration,
    /// For the next octets of a mail.
    pub data_block: Duration,
    /// Over which the transfer rate of a message is measured. A quarter where connections or the spool are scarce.
    pub transfer_window: Duration,
    /// For the client to take a reply.
    pub write: Duration,
    /// For a TLS handshake.
    pub handshake: Duration,
    /// For the application to say whether it takes a recipient.
    pub recipient: Duration,
    /// For memory to store a large message in.
    pub memory: Duration,
    /// For the application to store a mail.
    pub store: Duration,
    /// For a whole session.
    pub session: Duration,
    /// How long a session has to be idle before it gives way to a newcomer. Each connection beside it counts as well.
    pub yield_after: Duration,
    /// For sessions that are in the middle of a mail when the server stops.
    pub grace: Duration,
}

impl Default for Timeouts {
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
