//! State shared by all handlers, and the options of the HTTP API.

use std::sync::Arc;

use inboxd_core::app::{App, TurnBounds};
use inboxd_mail::EmailAddress;

use crate::admission::Admission;
use crate::body::BodyMemory;
use crate::limiter::{KeyRates, UnauthenticatedRate};
use crate::live::LiveFeed;
use crate::mcp::McpServer;
use crate::retry_dedup::InFlightSends;

/// Maximum number of waiting requests of one organization.
const MAX_WAITING: usize = 256;
/// Factor by which the limits of running sends exceed those of other requests: concurrent sends share statements.
const SENDS_FACTOR: usize = 4;

/// Factor from the rate of requests without a key to that of the token and revocation endpoints. Tokens are too long to
/// guess, and a hosted client calls from few addresses.
const TOKEN_RATE_FACTOR: u32 = 10;
/// Factor from the rate of requests without a key to that of requests for pages without a session. They lead to the sign-in
/// alone, and a browser with several open pages makes many after its session has ended.
const PAGE_RATE_FACTOR: u32 = 10;

/// Options of the HTTP API, set by the operator.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Base URL of links to the service, such as `https://inboxd.example`.
    pub base_url: String,
    /// Persons who see the pages of the operator in the console.
    pub operator_emails: Vec<EmailAddress>,
    /// Whether mail is captured instead of sent; then the page of the sign-in says where the code is.
    pub captures_mail: bool,
    /// Maximum size of a message, in bytes. The body of a request may be 1.4 times as large.
    pub max_message_bytes: usize,
    /// Sign-up and sign-in requests per client address and minute; token and revocation requests have ten times as many.
    /// 0 turns the limits off.
    pub unauthenticated_rate: u32,
    /// Requests per second of one key. All keys of an organization together have five times as many. 0 turns the limits
    /// off.
    pub key_rate: u32,
    /// Concurrent requests of one organization that use the database; 0 turns the limits off.
    pub organization_requests: usize,
    /// Concurrent requests of all organizations that use the database.
    pub running_requests: usize,
    /// Memory budget of large request bodies over all connections, in bytes; that of large responses is the same.
    pub max_bytes_in_flight: usize,
    /// Maximum number of open connections. Further connections wait until one is closed.
    pub max_connections: usize,
    /// Maximum number of connections of one IPv4 address or IPv6 /64; further connections are closed at once. 0 turns
    /// the limit off. Local addresses, which proxies use, have only the limit of their network.
    pub max_connections_per_address: usize,
    /// Maximum number of connections of one IPv4 /24 or IPv6 /48; further connections are closed at once. 0 turns the
    /// limit off.
    pub max_connections_per_network: usize,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            base_url: "http://127.0.0.1:8080".to_owned(),
            operator_emails: Vec::new(),
            captures_mail: false,
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

/// State of an HTTP worker. Clones share everything; each worker replaces `app` with its own.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) app: App,
    /// Live event feed and its subscribers.
    pub(crate) live: LiveFeed,
    pub(crate) base_url: Arc<str>,
    /// Addresses of the operators.
    pub(crate) operators: Arc<[EmailAddress]>,
    /// Whether mail is captured instead of sent.
    pub(crate) captures_mail: bool,
    /// Maximum bytes of a request body: 1.4 times the maximum message size, because base64 adds a third.
    pub(crate) body_limit: usize,
    /// Memory budget of request bodies.
    pub(crate) memory: Arc<BodyMemory>,
    /// Memory budget of responses.
    pub(crate) response_memory: Arc<BodyMemory>,
    pub(crate) limiter: Arc<UnauthenticatedRate>,
    /// Rate limits of the token and revocation endpoints, which many persons of a hosted client share.
    pub(crate) token_limiter: Arc<UnauthenticatedRate>,
    /// Rate limits of requests for pages without a valid session.
    pub(crate) page_limiter: Arc<UnauthenticatedRate>,
    pub(crate) key_rates: Arc<KeyRates>,
    /// Admission of requests that use the database.
    pub(crate) admission: Arc<Admission>,
    /// Admission of sends. Concurrent sends share statements, so more of them may run.
    pub(crate) sends_admission: Arc<Admission>,
    /// Sends in progress, whose results repeated requests share.
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
            // Half of the permits are shared; see `TurnBounds::shared`.
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
            operators: options.operator_emails.clone().into(),
            captures_mail: options.captures_mail,
            body_limit,
            memory: Arc::new(BodyMemory::new(options.max_bytes_in_flight, body_limit)),
            response_memory: Arc::new(BodyMemory::of_responses(options.max_bytes_in_flight, options.max_message_bytes)),
            limiter: Arc::new(UnauthenticatedRate::new(options.unauthenticated_rate)),
            token_limiter: Arc::new(UnauthenticatedRate::new(
                options.unauthenticated_rate.saturating_mul(TOKEN_RATE_FACTOR),
            )),
            page_limiter: Arc::new(UnauthenticatedRate::new(
                options.unauthenticated_rate.saturating_mul(PAGE_RATE_FACTOR),
            )),
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
