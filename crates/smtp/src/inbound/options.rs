//! What an operator can set.

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
    /// The most connections at a time.
    pub max_connections: usize,
    /// The most connections at a time from one IPv4 address, or one IPv6 network of 64 bits.
    pub max_connections_per_ip: usize,
    /// The most commands of a session that make no sense; then it is closed.
    pub max_faults: usize,
    /// The most commands of a session without a mail that is stored; then it is closed.
    pub max_commands: usize,
    /// The most recipients of a session that are not known here; then it is closed.
    pub max_unknown_recipients: usize,
    /// The most octets of mail in memory at a time, over all connections.
    pub max_octets_in_flight: usize,
    /// The certificate; STARTTLS is offered when there is one.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// How long anything may take.
    pub timeouts: Timeouts,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            hostname: "localhost".to_owned(),
            max_message_bytes: 40 * 1024 * 1024,
            max_recipients: 100,
            max_connections: 1024,
            max_connections_per_ip: 128,
            max_faults: 20,
            max_commands: 1000,
            max_unknown_recipients: 100,
            max_octets_in_flight: 512 * 1024 * 1024,
            tls: None,
            timeouts: Timeouts::default(),
        }
    }
}

/// How long the server waits (RFC 5321 section 4.5.3.2).
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For a whole command line.
    pub command: Duration,
    /// For the next octets of a mail.
    pub data_block: Duration,
    /// For the client to take a reply.
    pub write: Duration,
    /// For a TLS handshake.
    pub handshake: Duration,
    /// For the application to say whether it takes a recipient.
    pub recipient: Duration,
    /// For the application to store a mail.
    pub store: Duration,
    /// For a whole session.
    pub session: Duration,
    /// For sessions that are in the middle of a mail when the server stops.
    pub grace: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            command: Duration::from_mins(5),
            data_block: Duration::from_mins(3),
            write: Duration::from_mins(3),
            handshake: Duration::from_secs(30),
            recipient: Duration::from_secs(30),
            store: Duration::from_mins(5),
            session: Duration::from_hours(1),
            grace: Duration::from_secs(20),
        }
    }
}
