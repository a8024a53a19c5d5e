//! State shared by all handlers, and the options of the HTTP API.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::{App, TurnBounds};
use inboxd_core::ports::Standbys;
use inboxd_core::rules::trusted_proxies::TrustedProxies;
use inboxd_mail::EmailAddress;

use crate::admission::Admission;
use crate::body::BodyMemory;
use crate::connection_limits::{ConnectionCaps, ConnectionLimits};
use crate::limiter::RequestRates;
use crate::live::LiveFeed;
use crate::mcp::McpServer;
use crate::metrics::HttpMetrics;
use crate::mta_sts::MtaStsPolicy;
use crate::retry_dedup::InFlightSends;
use crate::tls::{ChallengeResponses, TlsOptions};

/// Maximum number of waiting requests of one organization.
const MAX_WAITING: usize = 256;
/// Factor by which the limits of running sends exceed those of other requests: concurrent sends share statements.
const SENDS_FACTOR: usize = 4;

/// Options of the HTTP API, set by the operator.
#[derive(Clone)]
pub struct HttpOptions {
    /// Base URL of links to the service, such as `https://inboxd.example`.
    pub base_url: String,
    /// Persons who see the pages of the operator in the console.
    pub operator_emails: Vec<EmailAddress>,
    /// Whether mail is captured instead of sent; then the page of the sign-in says where the code is.
    pub captures_mail: bool,
    /// Maximum size of a message, in bytes. The body of a request may be 1.4 times as large.
    pub max_message_bytes: usize,
    /// Rate limits.
    pub rates: RequestRates,
    /// Concurrent requests of one organization that use the database; 0 turns the limits off.
    pub organization_requests: usize,
    /// Concurrent requests of all organizations that use the database.
    pub running_requests: usize,
    /// Memory budget of large request bodies over all connections, in bytes; that of large responses is the same.
    pub max_bytes_in_flight: usize,
    /// Time for which a client may read nothing of a large response; then its connection is closed.
    pub response_stall_timeout: Duration,
    /// Maximum number of open connections. Further connections wait until one is closed.
    pub max_connections: usize,
    /// Maximum number of connections of one IPv4 address or IPv6 /64; further connections are closed at once. 0 turns
    /// the limit off. Local addresses have only the limit of their network. Requests through a trusted proxy count in
    /// place of connections, for the client of each.
    pub max_connections_per_address: usize,
    /// Maximum number of connections of one IPv4 /24 or IPv6 /48; further connections are closed at once. 0 turns the
    /// limit off.
    pub max_connections_per_network: usize,
    /// Metrics for operators.
    pub metrics: Arc<HttpMetrics>,
    /// Proxies that name the client in `X-Forwarded-For`, `Forwarded` and PROXY protocol headers.
    pub trusted_proxies: TrustedProxies,
    /// TLS of the listeners of kind [`ListenerKind::Tls`](crate::ListenerKind::Tls).
    pub tls: Option<TlsOptions>,
    /// Responses to ACME challenges; `None` without ACME.
    pub challenges: Option<Arc<dyn ChallengeResponses>>,
    /// MTA-STS policy of the service domains; `None` to serve none.
    pub mta_sts: Option<MtaStsPolicy>,
    /// Standbys for requests that accept stale data; `None` without any.
    pub standbys: Option<Arc<dyn Standbys>>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            base_url: "http://127.0.0.1:8080".to_owned(),
            operator_emails: Vec::new(),
            captures_mail: false,
            max_message_bytes: 40 * 1024 * 1024,
            rates: RequestRates::new(30, 200),
            organization_requests: 16,
            running_requests: 64,
            max_bytes_in_flight: 256 * 1024 * 1024,
            response_stall_timeout: Duration::from_secs(10),
            max_connections: 65_536,
            max_connections_per_address: 16_384,
            max_connections_per_network: 32_768,
            metrics: Arc::default(),
            trusted_proxies: TrustedProxies::default(),
            tls: None,
            challenges: None,
            mta_sts: None,
            standbys: None,
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
    /// Time for which a client may read nothing of a large response.
    pub(crate) response_stall_timeout: Duration,
    /// Proxies that name the client of a request.
    pub(crate) trusted_proxies: TrustedProxies,
    /// Counts of the open connections, and of the requests through trusted proxies.
    pub(crate) connections: Arc<ConnectionLimits>,
    /// Rate limits.
    pub(crate) rates: RequestRates,
    /// Admission of requests that use the database.
    pub(crate) admission: Arc<Admission>,
    /// Admission of sends. Concurrent sends share statements, so more of them may run.
    pub(crate) sends_admission: Arc<Admission>,
    /// Sends in progress, whose results repeated requests share.
    pub(crate) sends: Arc<InFlightSends>,
    pub(crate) mta_sts: Option<Arc<MtaStsPolicy>>,
    /// Standbys for requests that accept stale data.
    pub(crate) standbys: Option<Arc<dyn Standbys>>,
    /// The MCP server.
    pub(crate) mcp: McpServer,
    pub(crate) metrics: Arc<HttpMetrics>,
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
        let memory = Arc::new(BodyMemory::new(options.max_bytes_in_flight, body_limit));
        let response_memory =
            Arc::new(BodyMemory::of_responses(options.max_bytes_in_flight, options.max_message_bytes));
        options.metrics.show_memory(&memory, &response_memory);
        Self {
            app,
            live,
            base_url: base_url.into(),
            operators: options.operator_emails.clone().into(),
            captures_mail: options.captures_mail,
            body_limit,
            memory,
            response_memory,
            response_stall_timeout: options.response_stall_timeout,
            trusted_proxies: options.trusted_proxies.clone(),
            connections: ConnectionLimits::new(ConnectionCaps {
                address: options.max_connections_per_address,
                network: options.max_connections_per_network,
            }),
            rates: options.rates.clone(),
            admission: Admission::new(requests),
            sends_admission: Admission::new(sends),
            sends: repeatable,
            mta_sts: options.mta_sts.clone().map(Arc::new),
            standbys: options.standbys.clone(),
            mcp: McpServer::new(&options.base_url, options.running_requests),
            metrics: Arc::clone(&options.metrics),
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
