//! What every handler shares.

use std::sync::Arc;

use inboxd_core::app::{App, TurnBounds};

use crate::admission::Admission;
use crate::body::BodyMemory;
use crate::limiter::{KeyRates, UnauthenticatedRate};
use crate::live::LiveFeed;
use crate::mcp::McpServer;
use crate::retry_dedup::InFlightSends;

/// How many requests of one organization wait for their turn.
const MAX_WAITING: usize = 256;
/// How many sends run for each other request that may run: those of an organization are stored together.
const SENDS_FACTOR: usize = 4;

/// What the operator decides about the HTTP API.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Where clients reach the service, in links that it hands out: `https://inboxd.example`.
    pub base_url: String,
    /// Largest mail, in octets; the body of a request that sends one may be 1.4 times as large.
    pub max_message_bytes: usize,
    /// Sign-up and sign-in calls a client address and minute; 0 turns the limit off.
    pub unauthenticated_rate: u32,
    /// Requests of one key a second, all keys of an organization five times as many; 0 turns the limits off.
    pub key_rate: u32,
    /// Requests of one organization that use the database at a time; 0 turns the limits off.
    pub organization_requests: usize,
    /// Requests of all organizations that use the database at a time.
    pub running_requests: usize,
    /// The most octets of large request bodies in memory at a time, over all connections.
    pub max_bytes_in_flight: usize,
    /// The most connections that are open at a time; more wait until one is closed.
    pub max_connections: usize,
    /// The most connections of one IPv4 address or IPv6 /64; more are closed at once. 0 turns the limit off. Local addresses,
    /// those of proxies, have the limit of their network alone.
    pub max_connections_per_address: usize,
    /// The most connections of one IPv4 /24 or IPv6 /48; more are closed at once. 0 turns the limit off.
    pub max_connections_per_network: usize,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            base_url: "http://127.0.0.1:8080".to_owned(),
            max_message_bytes: 40 * 1024 * 1024,
            unauthenticated_rate: 30,
            key_rate: 200,
            organization_requests: 16,
            running_requests: 64,
            max_bytes_in_flight: 256 * 1024 * 1024,
            max_connections: 65_536,
            max_connections_per_address: 16_384,
            max_connections_per_network: 32_768,
        }
    }
}

/// State of an HTTP worker. Copies share everything but the application.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) app: App,
    /// Subscribers of events.
    pub(crate) live: LiveFeed,
    pub(crate) base_url: Arc<str>,
    /// The most octets of a request body: those of the largest mail, which base64 makes a third larger.
    pub(crate) body_limit: usize,
    /// What large bodies share.
    pub(crate) memory: Arc<BodyMemory>,
    /// What large responses share.
    pub(crate) response_memory: Arc<BodyMemory>,
    pub(crate) limiter: Arc<UnauthenticatedRate>,
    pub(crate) key_rates: Arc<KeyRates>,
    /// The requests that use the database.
    pub(crate) admission: Arc<Admission>,
    /// The sends, which share statements and so are more.
    pub(crate) sends_admission: Arc<Admission>,
    /// The sends that repeats may share.
    pub(crate) sends: Arc<InFlightSends>,
    /// The MCP server.
    pub(crate) mcp: McpServer,
}

impl State {
    pub(crate) fn new(app: App, live: LiveFeed, options: &HttpOptions) -> Self {
        let body_limit = options.max_message_bytes.saturating_mul(7) / 5;
        let repeatable = InFlightSends::new(Arc::clone(&app.clock));
        let requests = TurnBounds {
            running: options.running_requests.max(options.organization_requests),
            running_each: options.organization_requests,
            // Of the places half have a connection.
            shared: options.running_requests / 2,
            waiting_each: MAX_WAITING,
        };
        let sends = TurnBounds {
            running: requests.running * SENDS_FACTOR,
            running_each: requests.running_each * SENDS_FACTOR,
            shared: requests.running * SENDS_FACTOR,
            waiting_each: MAX_WAITING,
        };
        let base_url = options.base_url.trim_end_matches('/');
        if app.settings.issuer.is_none() {
            tracing::warn!(base_url, "OAuth is off: base URL has a path");
        }
        Self {
            app,
            live,
            base_url: base_url.into(),
            body_limit,
            memory: Arc::new(BodyMemory::new(options.max_bytes_in_flight, body_limit)),
            response_memory: Arc::new(BodyMemory::of_responses(options.max_bytes_in_flight, options.max_message_bytes)),
            limiter: Arc::new(UnauthenticatedRate::new(options.unauthenticated_rate)),
            key_rates: Arc::new(KeyRates::new(options.key_rate)),
            admission: Admission::new(requests),
            sends_admission: Admission::new(sends),
            sends: repeatable,
            mcp: McpServer::new(&options.base_url, options.running_requests),
        }
    }

    /// Returns the issuer of the authorization server: the origin of the base URL. `None` while it is off.
    pub(crate) fn issuer(&self) -> Option<&str> {
        self.app.settings.issuer.as_deref()
    }

    /// Returns whether browsers reach the service over TLS.
    pub(crate) fn is_https(&self) -> bool {
        self.base_url.starts_with("https://")
    }
}
