//! Metrics of the HTTP API, the MCP server and the live feed.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actix_web::http::{Method, StatusCode};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use time::OffsetDateTime;

use crate::body::BodyMemory;
use crate::error::ApiError;
use crate::standby::ReadSource;

/// Upper bounds of the time of a request, in seconds.
const REQUEST_BUCKETS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];
/// Upper bounds of the time from an event to its readers, in seconds.
const LAG_BUCKETS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];
/// Route of requests to no path of the table.
const NO_ROUTE: &str = "none";
/// Path of the token endpoint.
const TOKEN_ROUTE: &str = "/oauth/token";

/// Metrics of the HTTP API. Labels have values of this program only: route templates, error codes, tool names.
#[derive(Debug)]
pub struct HttpMetrics {
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram>,
    limits: Family<LimitLabels, Counter>,
    tool_calls: Family<ToolLabels, Counter>,
    tool_durations: Family<ToolNameLabels, Histogram>,
    token_requests: Family<TokenLabels, Counter>,
    /// Open connections.
    connections: Gauge,
    /// Connections closed because their client had too many.
    pub(crate) refused_connections: Counter,
    /// Connections closed because their client read a response too slowly.
    pub(crate) slow_readers: Counter,
    handshakes: Family<OutcomeLabels, Counter>,
    stale_reads: Family<OutcomeLabels, Counter>,
    memory: MemoryGauges,
    pub(crate) feed: FeedMetrics,
}

/// Outcome of a TLS handshake of an HTTPS client.
#[derive(Debug, Clone, Copy)]
pub(crate) enum HandshakeOutcome {
    Completed,
    Failed,
    /// Too many handshakes are in progress.
    Refused,
    TimedOut,
}

impl HandshakeOutcome {
    const ALL: [Self; 4] = [Self::Completed, Self::Failed, Self::Refused, Self::TimedOut];

    /// Returns the label.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::TimedOut => "timed_out",
        }
    }
}

/// Metrics of the live feed. Clones share their values.
#[derive(Debug, Clone)]
pub struct FeedMetrics {
    /// Connected readers.
    pub(crate) subscribers: Gauge,
    lag: Histogram,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: &'static str,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LimitLabels {
    status: &'static str,
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ToolLabels {
    tool: &'static str,
    code: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ToolNameLabels {
    tool: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TokenLabels {
    error: &'static str,
}

/// Bytes of large bodies in memory, read when the metrics are.
#[derive(Clone, Default)]
struct MemoryGauges(Arc<OnceLock<[KindOfMemory; 2]>>);

/// Kind of bodies, and their memory.
type KindOfMemory = (&'static str, Arc<BodyMemory>);

impl fmt::Debug for MemoryGauges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryGauges")
    }
}

impl Collector for MemoryGauges {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let help = "Memory of large request and response bodies";
        let mut metric = encoder.encode_descriptor("http_body_memory", help, Some(&Unit::Bytes), MetricType::Gauge)?;
        for (kind, memory) in self.0.get().into_iter().flatten() {
            let used = u64::try_from(memory.used()).unwrap_or(u64::MAX);
            ConstGauge::new(used).encode(metric.encode_family(&[("kind", *kind)])?)?;
        }
        Ok(())
    }
}

impl Default for FeedMetrics {
    fn default() -> Self {
        Self { subscribers: Gauge::default(), lag: Histogram::new(LAG_BUCKETS) }
    }
}

impl FeedMetrics {
    /// Records that an event reaches the readers.
    pub(crate) fn count_event(&self, created_at: OffsetDateTime, now: OffsetDateTime) {
        self.lag.observe((now - created_at).as_seconds_f64().max(0.0));
    }
}

impl Default for HttpMetrics {
    fn default() -> Self {
        Self {
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(REQUEST_BUCKETS)),
            limits: Family::default(),
            tool_calls: Family::default(),
            tool_durations: Family::new_with_constructor(|| Histogram::new(REQUEST_BUCKETS)),
            token_requests: Family::default(),
            connections: Gauge::default(),
            refused_connections: Counter::default(),
            slow_readers: Counter::default(),
            handshakes: Family::default(),
            stale_reads: Family::default(),
            memory: MemoryGauges::default(),
            feed: FeedMetrics::default(),
        }
    }
}

/// An open connection; dropping it decrements the gauge.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    open: Gauge,
    slow_readers: Counter,
}

impl OpenConnection {
    /// Counts the connection as closed because its client read too slowly.
    pub(crate) fn count_slow_reader(&self) {
        self.slow_readers.inc();
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.open.dec();
    }
}

impl HttpMetrics {
    /// Counts an open connection until the result is dropped.
    pub(crate) fn open_connection(&self) -> OpenConnection {
        self.connections.inc();
        OpenConnection { open: self.connections.clone(), slow_readers: self.slow_readers.clone() }
    }

    /// Counts a TLS handshake.
    pub(crate) fn count_handshake(&self, outcome: HandshakeOutcome) {
        self.handshakes.get_or_create(&OutcomeLabels { outcome: outcome.as_str() }).inc();
    }

    /// Counts a request that accepts stale data.
    pub(crate) fn count_stale_read(&self, source: ReadSource) {
        self.stale_reads.get_or_create(&OutcomeLabels { outcome: source.label() }).inc();
    }

    /// Creates the metrics and registers them.
    #[must_use]
    pub fn registered(registry: &mut Registry) -> Arc<Self> {
        let metrics = Self::default();
        metrics.register_requests(registry);
        metrics.register_others(registry);
        Arc::new(metrics)
    }

    /// Returns the metrics of the live feed.
    #[must_use]
    pub fn feed(&self) -> FeedMetrics {
        self.feed.clone()
    }

    fn register_requests(&self, registry: &mut Registry) {
        registry.register("http_requests", "Requests, by method, route and class of the status", self.requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "Time until the response to a request begins, by route",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register("http_limits", "Responses with status 429 or 503, by reason", self.limits.clone());
        registry.register("http_connections", "Open HTTP connections", self.connections.clone());
        registry.register(
            "http_connections_refused",
            "HTTP connections closed because their client had too many",
            self.refused_connections.clone(),
        );
        registry.register(
            "http_slow_readers",
            "HTTP connections closed because their client read a response too slowly",
            self.slow_readers.clone(),
        );
        for outcome in HandshakeOutcome::ALL {
            drop(self.handshakes.get_or_create(&OutcomeLabels { outcome: outcome.as_str() }));
        }
        registry.register(
            "http_tls_handshakes",
            "TLS handshakes of HTTPS clients, by outcome",
            self.handshakes.clone(),
        );
        registry.register_collector(Box::new(self.memory.clone()));
    }

    fn register_others(&self, registry: &mut Registry) {
        registry.register("mcp_calls", "Calls of MCP tools, by tool and error code", self.tool_calls.clone());
        registry.register_with_unit(
            "mcp_call_duration",
            "Time of a call of an MCP tool, by tool",
            Unit::Seconds,
            self.tool_durations.clone(),
        );
        registry.register(
            "oauth_token_requests",
            "Requests of OAuth tokens, by error code",
            self.token_requests.clone(),
        );
        for outcome in ReadSource::LABELS {
            drop(self.stale_reads.get_or_create(&OutcomeLabels { outcome }));
        }
        let help = "Requests that accept stale data, by the storage that served them";
        registry.register("standby_reads", help, self.stale_reads.clone());
        registry.register("feed_subscribers", "Connected readers of events", self.feed.subscribers.clone());
        registry.register_with_unit(
            "feed_lag",
            "Time from an event to its connected readers",
            Unit::Seconds,
            self.feed.lag.clone(),
        );
    }

    /// Shows the memory of request and response bodies.
    pub(crate) fn show_memory(&self, requests: &Arc<BodyMemory>, responses: &Arc<BodyMemory>) {
        // A second server of the same process has the same kinds of bodies; the first one is shown.
        let _ = self.memory.0.set([("request", Arc::clone(requests)), ("response", Arc::clone(responses))]);
    }

    /// Records a response and the refusal that it is.
    pub(crate) fn count_response(
        &self,
        method: &Method,
        route: Option<&'static str>,
        status: StatusCode,
        refusal: Option<&ApiError>,
        elapsed: Duration,
    ) {
        let route = route.unwrap_or(NO_ROUTE);
        let labels = RequestLabels { method: method_name(method), route, status: status_class(status) };
        self.requests.get_or_create(&labels).inc();
        self.durations.get_or_create(&RouteLabels { route }).observe(elapsed.as_secs_f64());
        if let Some(refusal) = refusal {
            self.count_limit(refusal);
        }
        if route == TOKEN_ROUTE {
            let error = refusal.map_or("none", |refusal| refusal.code.as_str());
            self.token_requests.get_or_create(&TokenLabels { error }).inc();
        }
    }

    /// Records a request that the HTTP parser refused.
    pub(crate) fn count_unparsed(&self, status: StatusCode) {
        let labels = RequestLabels { method: "other", route: NO_ROUTE, status: status_class(status) };
        self.requests.get_or_create(&labels).inc();
    }

    /// Records a call of an MCP tool.
    pub(crate) fn count_call(&self, tool: &'static str, refusal: Option<&ApiError>, elapsed: Duration) {
        let code = refusal.map_or("ok", |refusal| refusal.code.as_str());
        self.tool_calls.get_or_create(&ToolLabels { tool, code }).inc();
        self.tool_durations.get_or_create(&ToolNameLabels { tool }).observe(elapsed.as_secs_f64());
        if let Some(refusal) = refusal {
            self.count_limit(refusal);
        }
    }

    fn count_limit(&self, refusal: &ApiError) {
        let status = match refusal.code.status() {
            StatusCode::TOO_MANY_REQUESTS => "429",
            StatusCode::SERVICE_UNAVAILABLE => "503",
            _ => return,
        };
        self.limits.get_or_create(&LimitLabels { status, reason: refusal.limit() }).inc();
    }
}

/// Returns the name of a known method. A client may send any.
pub(crate) fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

fn status_class(status: StatusCode) -> &'static str {
    match status.as_u16() {
        100..=199 => "1xx",
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        _ => "5xx",
    }
}

#[cfg(test)]
mod tests;
