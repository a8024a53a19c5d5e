//! From actix to rmcp: authenticates a request of `POST /mcp`, passes it on without credentials and returns the response.

use std::convert::Infallible;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use bytes::Bytes;
use futures_util::TryStreamExt;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use inboxd_core::app::oauth::missing_scope;
use rmcp::model::ErrorData;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::Url;

use super::envelope::Envelope;
use super::request::McpRequest;
use super::server::{McpHandler, REVISIONS};
use super::tools;
use crate::auth::{AuthenticatedRequest, UnauthenticatedRequest, bearer};
use crate::connection::ConnectedClient;
use crate::error::ApiError;

/// Maximum size of a request. Larger attachments come by URL or by reference.
const MAX_REQUEST_BYTES: usize = 4 * 1024 * 1024;
/// Size up to which a request is read before its caller is known: a ping is answered to anyone.
const MAX_PING_BYTES: usize = 4 * 1024;
/// Number of running requests for each that may use the database. Beyond it new ones are refused at once.
const RUNNING_FACTOR: usize = 8;
/// Header that carries an API key, besides `Authorization`.
const X_API_KEY: &str = "x-api-key";
/// Header that keeps proxies from buffering events.
const NOT_BUFFERED: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// The MCP server of a process.
#[derive(Clone)]
pub(crate) struct McpServer {
    service: StreamableHttpService<McpHandler, NeverSessionManager>,
    running: Arc<Semaphore>,
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
        Self { service, running: Arc::new(Semaphore::new(running.max(1).saturating_mul(RUNNING_FACTOR))) }
    }

    /// Returns a permit to run a request.
    fn admit(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.running).try_acquire_owned().map_err(|_| ApiError::overloaded())
    }
}

/// Responds to a request of `POST /mcp`.
///
/// # Errors
/// The refusal of a caller; the middleware adds the challenge that leads a client to a token.
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let (state, request) = (call.state.clone().into_inner(), call.request.clone());
    let early = if is_small(&request) { Some(call.bytes(MAX_PING_BYTES).await?) } else { None };
    if let Some(body) = early.as_ref().filter(|body| Envelope::of(body).is_legacy_ping(request.headers())) {
        return Ok(forward(&state.mcp, &request, body.clone(), None).await);
    }
    let key = credential(&request).ok_or_else(ApiError::missing_authorization)?;
    let permit = state.mcp.admit()?;
    let mut call = call.authenticated_by(key).await?;
    let body = match early {
        Some(body) => body,
        None => call.bytes(MAX_REQUEST_BYTES).await?,
    };
    call.rest();
    let envelope = Envelope::of(&body);
    if let Some(version) = envelope.unknown_revision(request.headers()) {
        return Ok(unsupported(version, envelope.id()));
    }
    require_scope(&call, &envelope)?;
    let client = request.conn_data::<ConnectedClient>().cloned();
    let passed = McpRequest::new(Arc::clone(&state), Arc::clone(&call.caller), call.key_hash, permit, client);
    Ok(forward(&state.mcp, &request, body, Some(passed)).await)
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
async fn forward(server: &McpServer, request: &HttpRequest, body: Bytes, passed: Option<McpRequest>) -> HttpResponse {
    let mut forwarded = http::Request::new(Full::new(body));
    *forwarded.method_mut() = http::Method::POST;
    *forwarded.headers_mut() = protocol_headers(request.headers());
    if let Some(passed) = passed {
        forwarded.extensions_mut().insert(passed);
    }
    response(server.service.handle(forwarded).await).await
}

/// Returns the refusal of a revision, with those that the server speaks. rmcp has one for revisions in the body alone.
fn unsupported(version: &str, id: &Value) -> HttpResponse {
    let requested = serde_json::from_value(version.into()).unwrap_or_default();
    let error = ErrorData::unsupported_protocol_version(requested, REVISIONS);
    HttpResponse::BadRequest().json(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
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
    let (head, body) = from.into_parts();
    let status = StatusCode::from_u16(head.status.as_u16()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
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
    fn requests_beyond_the_limit_are_refused_at_once() {
        let server = McpServer::new("http://127.0.0.1:8080", 1);
        let mut permits: Vec<_> = (0..RUNNING_FACTOR).map(|_| server.admit().unwrap()).collect();
        let refused = server.admit().unwrap_err();
        assert_eq!((refused.code.as_str(), refused.code.status().as_u16()), ("service_unavailable", 503));
        assert!(refused.retry.is_some());
        permits.pop();
        assert!(server.admit().is_ok());
    }
}
