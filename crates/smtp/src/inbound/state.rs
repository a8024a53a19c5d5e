//! State of a session and context of the server.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use inboxd_core::app::Recipient;
use inboxd_core::rules::networks::ClientNetwork;
use inboxd_mail::EmailAddress;

use super::connection_limits::ConnectionLimits;
use super::content::{ContentBudget, ContentBuffer};
use super::handler::MailHandler;
use super::options::ServerOptions;

/// Context shared by all sessions of a server.
#[derive(Clone)]
pub(super) struct ServerContext {
    pub(super) handler: Arc<dyn MailHandler>,
    pub(super) options: Arc<ServerOptions>,
    pub(super) connections: Arc<ConnectionLimits>,
    pub(super) budget: ContentBudget,
    /// Whether commands require TLS on this listener.
    pub(super) requires_tls: bool,
}

impl ServerContext {
    pub(super) fn new(handler: Arc<dyn MailHandler>, options: Arc<ServerOptions>) -> Self {
        let connections = Arc::new(ConnectionLimits::new(&options));
        let budget = ContentBudget::new(&options);
        options.metrics.show_budget(&budget);
        Self { handler, options, connections, budget, requires_tls: false }
    }

    /// Returns an empty content.
    pub(super) fn content(&self, state: &SessionState) -> ContentBuffer {
        let network = ClientNetwork::of(state.client_ip).network;
        ContentBuffer::new(self.options.max_message_bytes, &self.budget, network)
    }

    /// Returns the context for a listener with or without required TLS.
    pub(super) fn requiring_tls(self, requires_tls: bool) -> Self {
        Self { requires_tls, ..self }
    }
}

/// State of a session.
pub(super) struct SessionState {
    pub(super) client_ip: IpAddr,
    /// Whether TLS protects the session.
    pub(super) is_secure: bool,
    /// Identity of the client after EHLO or HELO.
    pub(super) identity: Option<ClientIdentity>,
    /// Current transaction.
    pub(super) transaction: Option<MailTransaction>,
    /// Number of invalid commands.
    pub(super) faults: usize,
    /// Number of commands since the last stored message.
    pub(super) commands: usize,
    /// Number of unknown recipients.
    pub(super) unknown_recipients: usize,
}

impl SessionState {
    pub(super) fn new(client_ip: IpAddr, is_secure: bool) -> Self {
        Self { client_ip, is_secure, identity: None, transaction: None, faults: 0, commands: 0, unknown_recipients: 0 }
    }
}

/// Identity of a client.
pub(super) struct ClientIdentity {
    pub(super) client: String,
    /// Whether the client sent EHLO, which enables extensions.
    pub(super) is_extended: bool,
}

/// Transaction from MAIL to the end of the content.
pub(super) struct MailTransaction {
    /// Time of MAIL.
    pub(super) started: Instant,
    pub(super) from: Option<EmailAddress>,
    pub(super) utf8: bool,
    /// Declared size (RFC 1870), or 0 without one.
    pub(super) declared_bytes: usize,
    pub(super) recipients: Vec<Recipient>,
    /// Content so far, once BDAT has begun.
    pub(super) chunks: Option<ContentBuffer>,
}
