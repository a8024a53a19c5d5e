//! From actix to rmcp: authenticates a request of `POST /mcp`, passes it on without credentials and returns the response.

use std::convert::Infallible;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use bytes::Bytes;
use futures_util::TryStreamExt;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use inboxd_core::app::oauth::missing_scope;
use inboxd_core::app::{TurnBounds, TurnPermit, TurnQueue};
use inboxd_core::model::OrganizationId;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use url::Url;

use super::envelope::Envelope;
use super::request::McpRequest;
use super::server::McpHandler;
use super::{refusal, tools};
use crate::auth::{AuthenticatedRequest, UnauthenticatedRequest, bearer};
use crate::connection::ConnectedClient;
use crate::error::ApiError;

/// Maximum size of a request. Larger attachments come by URL or by reference.
const MAX_REQUEST_BYTES: usize = 4 * 1024 * 1024;
/// Size up to which a request is read before its caller is known: a ping is answered to anyone.
const MAX_PING_BYTES: usize = 4 * 1024;
/// Number of running requests for each that may use the database. Beyond it new ones are refused at once.
const RUNNING_FACTOR: usize = 8;
/// Part of the running requests that one organization may have.
const ORGANIZATION_SHARE: usize = 4;
/// Media type of requests and of the responses that are no stream.
const JSON: &str = "application/json";
/// Header that carries an API key, besides `Authorization`.
const X_API_KEY: &str = "x-api-key";
/// Header that keeps proxies from buffering events.
const NOT_BUFFERED: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// The MCP server of a process.
#[derive(Clone)]
pub(crate) struct McpServer {
    service: StreamableHttpService<McpHandler, NeverSessionManager>,
    running: TurnQueue<OrganizationId>,
}

impl McpServer {
    /// Returns a server that is reached at a base URL, for as many requests as `running` may use the database.
    pub(crate) fn new(base_url: &str, running: usize) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts(allowed_hosts(base_url))
            .with_allowed_origins(allowed_origin(base_url))
            .enforce_origin_validation()
            .with_max_request_body_bytes(MAX_REQUEST_BYTES);
        let service = StreamableHttpService::new(|| Ok(McpHandler), Arc::new(NeverSessionManager::default()), config);
        let running = running.max(1).saturating_mul(RUNNING_FACTOR);
        let bounds =
            TurnBounds { running, running_each: running / ORGANIZATION_SHARE, shared: running, waiting_each: 0 };
        Self { service, running: TurnQueue::new(bounds) }
    }

    /// Returns a permit to run a request of an organization. Nothing waits for one.
    async fn admit(&self, organization_id: OrganizationId) -> Result<TurnPermit<OrganizationId>, ApiError> {
        self.running.enter(organization_id).await.map_err(|_| ApiError::overloaded())
    }
}

/// Responds to a request of `POST /mcp`.
///
/// # Errors
/// The refusal of a caller; the middleware adds the challenge that leads a client to a token.
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let (state, request) = (call.state.clone().into_inner(), call.request.clone());
    let early = if is_small(&request) { Some(read(call.bytes(MAX_PING_BYTES).await?)) } else { None };
    if let Some((body, envelope)) = early.as_ref().filter(|(_, envelope)| envelope.is_legacy_ping(request.headers())) {
        return Ok(forward(&state.mcp, &request, body.clone(), envelope, None).await);
    }
    let key = credential(&request).ok_or_else(ApiError::missing_authorization)?;
    let mut call = call.authenticated_by(key).await?;
    call.rest();
    let (body, envelope) = match early {
        Some(early) => early,
        None => read(call.bytes(MAX_REQUEST_BYTES).await?),
    };
    if envelope.is_too_complex() {
        return Ok(refusal::too_complex());
    }
    // Only a request that has arrived takes a permit, so that slow clients keep it from no one.
    let permit = state.mcp.admit(call.caller.organization.organization_id).await?;
    if envelope.has_long_method() {
        return Ok(refusal::long_method(envelope.is_stateless(request.headers()), envelope.id()));
    }
    if let Some(version) = envelope.unknown_revision(request.headers()) {
        return Ok(refusal::unknown_revision(version, envelope.id()));
    }
    require_scope(&call, &envelope)?;
    let client = request.conn_data::<ConnectedClient>().cloned();
    let passed = McpRequest::new(Arc::clone(&state), Arc::clone(&call.caller), call.key_hash, permit, client);
    Ok(forward(&state.mcp, &request, body, &envelope, Some(passed)).await)
}

fn read(body: Bytes) -> (Bytes, Envelope) {
    let envelope = Envelope::of(&body);
    (body, envelope)
}

/// Refuses a tool beyond the token of a connection, so that the client asks for a wider one. To callers for whom no token
/// is wider, the tool itself returns the refusal.
fn require_scope(call: &AuthenticatedRequest, envelope: &Envelope) -> Result<(), ApiError> {
    let tool = envelope.called_tool().and_then(tools::find);
    let needed = tool.map(|tool| tool.facts.permissions).unwrap_or_default();
    match needed.iter().find(|permission| missing_scope(&call.caller, **permission).is_some()) {
        Some(permission) => call.require(*permission),
        None => Ok(()),
    }
}

/// Returns the key of a request. `x-api-key` takes precedence over `Authorization`.
fn credential(request: &HttpRequest) -> Option<&str> {
    let header = request.headers().get(X_API_KEY).and_then(|key| key.to_str().ok()).map(str::trim);
    header.filter(|key| !key.is_empty()).or_else(|| bearer(request))
}

fn is_small(request: &HttpRequest) -> bool {
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    length.is_some_and(|length| length <= MAX_PING_BYTES)
}

/// Passes a request to rmcp with the headers that the protocol reads.
async fn forward(
    server: &McpServer,
    request: &HttpRequest,
    body: Bytes,
    envelope: &Envelope,
    passed: Option<McpRequest>,
) -> HttpResponse {
    if is_json(kind(request)) && envelope.is_broken() {
        return refusal::no_json();
    }
    let mut forwarded = http::Request::new(Full::new(body));
    *forwarded.method_mut() = http::Method::POST;
    *forwarded.headers_mut() = protocol_headers(request.headers());
    if let Some(passed) = passed {
        forwarded.extensions_mut().insert(passed);
    }
    let answer = server.service.handle(forwarded).await;
    if answer.status().as_u16() < 400 || is_json(answer.headers().get("content-type").map(http::HeaderValue::as_bytes))
    {
        return response(answer).await;
    }
    let status = status_of(&answer);
    if status == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json(kind(request)) {
        return refusal::no_message(envelope.id());
    }
    let Ok(text) = answer.into_body().collect().await;
    refusal::of_text(status, &String::from_utf8_lossy(&text.to_bytes()), envelope.id())
}

/// Copies the headers of the protocol: no credential, no cookie.
fn protocol_headers(given: &HeaderMap) -> http::HeaderMap {
    let is_read =
        |name: &str| matches!(name, "accept" | "content-type" | "host" | "origin") || name.starts_with("mcp-");
    let copy = |(name, value): (&HeaderName, &HeaderValue)| {
        let name = http::HeaderName::from_bytes(name.as_str().as_bytes()).ok()?;
        Some((name, http::HeaderValue::from_bytes(value.as_bytes()).ok()?))
    };
    let mut headers = http::HeaderMap::new();
    for (name, value) in given.iter().filter(|(name, _)| is_read(name.as_str())).filter_map(copy) {
        headers.append(name, value);
    }
    headers
}

async fn response(from: http::Response<BoxBody<Bytes, Infallible>>) -> HttpResponse {
    let status = status_of(&from);
    let (head, body) = from.into_parts();
    let mut response = HttpResponseBuilder::new(status);
    for (name, value) in &head.headers {
        response.append_header((name.as_str(), value.as_bytes()));
    }
    if http_body::Body::size_hint(&body).exact().is_some() {
        return match body.collect().await {
            Ok(body) => response.body(body.to_bytes()),
        };
    }
    response.insert_header(NOT_BUFFERED);
    response.streaming(body.into_data_stream().map_err(|never| -> actix_web::Error { match never {} }))
}

fn status_of(answer: &http::Response<BoxBody<Bytes, Infallible>>) -> StatusCode {
    StatusCode::from_u16(answer.status().as_u16()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Returns the content type of a request.
fn kind(request: &HttpRequest) -> Option<&[u8]> {
    Some(request.headers().get(CONTENT_TYPE)?.as_bytes())
}

/// Returns whether a content type is that of JSON.
fn is_json(content_type: Option<&[u8]>) -> bool {
    let essence = content_type.and_then(|kind| std::str::from_utf8(kind).ok()?.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(JSON))
}

/// Returns the host names under which the server is reached.
fn allowed_hosts(base_url: &str) -> Vec<String> {
    let host = Url::parse(base_url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let loopback = ["localhost", "127.0.0.1", "[::1]"];
    if loopback.contains(&host.as_str()) { loopback.map(str::to_owned).to_vec() } else { vec![host] }
}

/// Returns the origin of the server's own pages, with its port.
fn allowed_origin(base_url: &str) -> Option<String> {
    let url = Url::parse(base_url).ok()?;
    Some(format!("{}://{}:{}", url.scheme(), url.host_str()?, url.port_or_known_default()?))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use futures_util::FutureExt;
    use inboxd_core::testing::fixtures::id;

    use super::*;

    #[test]
    fn hosts_and_origin_follow_from_the_base_url() {
        for (base_url, hosts, origin) in [
            ("https://mail.example", vec!["mail.example"], "https://mail.example:443"),
            ("https://mail.example:8443/", vec!["mail.example"], "https://mail.example:8443"),
            ("http://127.0.0.1:8080", vec!["localhost", "127.0.0.1", "[::1]"], "http://127.0.0.1:8080"),
        ] {
            assert_eq!(allowed_hosts(base_url), hosts, "{base_url}");
            assert_eq!(allowed_origin(base_url).unwrap(), origin, "{base_url}");
        }
    }

    #[test]
    fn organization_has_a_share_and_requests_beyond_the_limit_are_refused_at_once() {
        let server = McpServer::new("http://127.0.0.1:8080", 2);
        let admit = |number: u128| server.admit(id(number)).now_or_never().unwrap();
        let share = 2 * RUNNING_FACTOR / ORGANIZATION_SHARE;
        let mut permits: Vec<_> = (0..share).map(|_| admit(1).unwrap()).collect();
        let refused = admit(1).unwrap_err();
        assert_eq!((refused.code.as_str(), refused.code.status().as_u16()), ("service_unavailable", 503));
        assert!(refused.retry.is_some());
        let others: Vec<_> = (2..20).filter_map(|number| admit(number).ok()).collect();
        assert_eq!(others.len(), 2 * RUNNING_FACTOR - share);
        drop(others);
        permits.pop();
        assert!(admit(1).is_ok());
    }
}
