//! What a session remembers.

use std::net::IpAddr;
use std::sync::Arc;

use inboxd_core::app::Recipient;
use inboxd_core::rules::networks::ClientNetwork;
use inboxd_mail::EmailAddress;

use super::connections::Connections;
use super::content::{Content, ContentBudget};
use super::mailroom::Mailroom;
use super::options::ServerOptions;

/// What all sessions of a server share.
#[derive(Clone)]
pub(super) struct Hall {
    pub(super) mailroom: Arc<dyn Mailroom>,
    pub(super) options: Arc<ServerOptions>,
    pub(super) connections: Arc<Connections>,
    pub(super) budget: ContentBudget,
    /// Whether the listener takes nothing before TLS is on.
    pub(super) requires_tls: bool,
}

impl Hall {
    pub(super) fn new(mailroom: Arc<dyn Mailroom>, options: Arc<ServerOptions>) -> Self {
        let connections = Arc::new(Connections::new(&options));
        let budget = ContentBudget::new(&options);
        Self { mailroom, options, connections, budget, requires_tls: false }
    }

    /// A content that nothing has arrived of.
    pub(super) fn content(&self, state: &State) -> Content {
        let network = ClientNetwork::of(state.client_ip).network;
        Content::new(self.options.max_message_bytes, &self.budget, network)
    }

    /// The same, for the sessions of a listener that requires TLS, or does not.
    pub(super) fn requiring_tls(self, requires_tls: bool) -> Self {
        Self { requires_tls, ..self }
    }
}

/// What is known of one client.
pub(super) struct State {
    pub(super) client_ip: IpAddr,
    /// Whether TLS protects the session.
    pub(super) secure: bool,
    /// Who the client says it is, once it has.
    pub(super) hello: Option<Hello>,
    /// The mail that is being announced or sent.
    pub(super) transaction: Option<Transaction>,
    /// How many commands made no sense.
    pub(super) faults: usize,
    /// How many commands there were since the last mail that was stored.
    pub(super) commands: usize,
    /// How many recipients were not known.
    pub(super) unknown_recipients: usize,
}

impl State {
    pub(super) fn new(client_ip: IpAddr, secure: bool) -> Self {
        Self { client_ip, secure, hello: None, transaction: None, faults: 0, commands: 0, unknown_recipients: 0 }
    }
}

/// How a client introduced itself.
pub(super) struct Hello {
    pub(super) client: String,
    /// By EHLO, which makes extensions usable.
    pub(super) extended: bool,
}

/// A mail from MAIL to the end of its content.
pub(super) struct Transaction {
    pub(super) from: Option<EmailAddress>,
    pub(super) utf8: bool,
    /// The size that the client declared (RFC 1870); 0 where it declared none.
    pub(super) declared_bytes: usize,
    pub(super) recipients: Vec<Recipient>,
    /// The content so far, once BDAT has begun to bring it.
    pub(super) chunks: Option<Content>,
}
