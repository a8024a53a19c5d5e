//! Client of `POST /mcp`.

use std::error::Error;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::TryStreamExt;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use inboxd_outbound::Authorities;
use serde_json::Value;
use tokio::sync::mpsc;

use super::events::EventReader;
use super::message::ClientMessage;
use crate::failure::{ErrorContext, Failure};

/// Environment variable with a file of certificate authorities.
const CA_FILE: &str = "INBOXD_OUTBOUND_CA_FILE";
/// Time for opening a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const JSON_OR_EVENTS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Client of the MCP server at a URL.
pub(super) struct McpClient {
    http: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    endpoint: Uri,
    authorization: HeaderValue,
    /// Revision that `initialize` agreed on.
    negotiated: Mutex<Option<String>>,
}

impl McpClient {
    /// Returns a client of the inboxd at a base URL, or at the URL of its endpoint.
    ///
    /// # Errors
    /// When the URL or the key is unusable.
    pub(super) fn new(url: &str, key: &str) -> Result<Self, Failure> {
        let base = url.trim_end_matches('/').trim_end_matches("/mcp");
        let unusable = || Failure::new(format!("--url {url:?} is no URL such as https://inboxd.example"));
        let endpoint: Uri = format!("{base}/mcp").parse().map_err(|_| unusable())?;
        if endpoint.host().is_none() || !matches!(endpoint.scheme_str(), Some("http" | "https")) {
            return Err(unusable());
        }
        let mut authorization = HeaderValue::from_str(&format!("Bearer {key}"))
            .map_err(|_| Failure::new("the API key holds characters that no header can hold".to_owned()))?;
        authorization.set_sensitive(true);
        let tls = authorities()?.tls_config().context("TLS cannot be set up")?;
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let tls = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().wrap_connector(tcp);
        let http = Client::builder(TokioExecutor::new()).build(tls);
        Ok(Self { http, endpoint, authorization, negotiated: Mutex::default() })
    }

    /// Sends a message and writes the messages of the response. A failure becomes the response of the request.
    pub(super) async fn send(&self, message: ClientMessage, output: &mpsc::Sender<String>) {
        if let Err(failure) = self.exchange(&message, output).await
            && let Some(line) = message.failed(&failure)
        {
            // A closed output ends the program when its writer is joined.
            let _ = output.send(line).await;
        }
    }

    async fn exchange(&self, message: &ClientMessage, output: &mpsc::Sender<String>) -> Result<(), String> {
        let request = self.request(message)?;
        let response = self.http.request(request).await.map_err(|error| self.unreachable(&error))?;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/event-stream") {
            stream(response, output).await
        } else {
            self.whole(message, response, output).await
        }
    }

    /// Returns the cause of a request that reached no server, with the next step.
    fn unreachable(&self, error: &hyper_util::client::legacy::Error) -> String {
        let text = causes(error).map(ToString::to_string).collect::<Vec<_>>().join(": ");
        let (cause, fix) = if text.contains("certificate") {
            (text, format!("name its certificate authority in {CA_FILE}"))
        } else if is_time_out(error) {
            let cause = format!("no connection within {} s", CONNECT_TIMEOUT.as_secs());
            (cause, "check --url and that no firewall is in between".to_owned())
        } else {
            (text, "check --url and that the server runs".to_owned())
        };
        format!("{} cannot be reached: {cause}; {fix}", self.endpoint)
    }

    fn request(&self, message: &ClientMessage) -> Result<Request<Full<Bytes>>, String> {
        let negotiated = self.negotiated.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut request = Request::post(self.endpoint.clone())
            .header(AUTHORIZATION, self.authorization.clone())
            .header(CONTENT_TYPE, JSON)
            .header(ACCEPT, JSON_OR_EVENTS);
        for (name, value) in message.headers(negotiated.as_deref()) {
            request = request.header(name, value);
        }
        request.body(Full::from(message.line().to_owned())).map_err(|error| error.to_string())
    }

    /// Writes the one message of a response. A refusal of the server is none, and becomes the text of an error.
    async fn whole(
        &self,
        message: &ClientMessage,
        response: Response<Incoming>,
        output: &mpsc::Sender<String>,
    ) -> Result<(), String> {
        let status = response.status();
        let body = response.into_body().collect().await.map_err(broken)?.to_bytes();
        let value: Value = serde_json::from_slice(&body).unwrap_or_default();
        if value.get("jsonrpc").is_none() {
            return if status.is_success() { Ok(()) } else { Err(refusal(status.as_u16(), &value, &body)) };
        }
        if message.is_initialize()
            && let Some(version) = value["result"]["protocolVersion"].as_str()
        {
            *self.negotiated.lock().unwrap_or_else(PoisonError::into_inner) = Some(version.to_owned());
        }
        // A closed output ends the program when its writer is joined.
        let _ = output.send(value.to_string()).await;
        Ok(())
    }
}

/// Returns the certificate authorities of the operator beside the public ones.
fn authorities() -> Result<Authorities, Failure> {
    let Some(file) = std::env::var_os(CA_FILE).filter(|file| !file.is_empty()).map(PathBuf::from) else {
        return Ok(Authorities::public());
    };
    Authorities::with_file(&file).context(format!("{CA_FILE}: cannot use {}", file.display()))
}

fn causes(error: &hyper_util::client::legacy::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

/// Returns whether a connection was not opened in time.
fn is_time_out(error: &hyper_util::client::legacy::Error) -> bool {
    causes(error).any(|cause| {
        let failed = cause.downcast_ref::<std::io::Error>();
        failed.is_some_and(|failed| failed.kind() == std::io::ErrorKind::TimedOut)
    })
}

/// Writes the messages of an event stream as they arrive.
async fn stream(response: Response<Incoming>, output: &mpsc::Sender<String>) -> Result<(), String> {
    let mut body = response.into_body().into_data_stream();
    let mut reader = EventReader::default();
    while let Some(bytes) = body.try_next().await.map_err(broken)? {
        for line in reader.read(&bytes) {
            if output.send(line).await.is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it")]
fn broken(error: hyper::Error) -> String {
    format!("the response broke off: {error}")
}

/// Returns a refusal in words: message and fix of the envelope, or the text of the body.
fn refusal(status: u16, envelope: &Value, body: &[u8]) -> String {
    match (envelope["message"].as_str(), envelope["fix"].as_str()) {
        (Some(message), Some(fix)) => format!("{message}: {fix}"),
        _ => format!(
            "the server responded {status}: {}",
            String::from_utf8_lossy(body).chars().take(500).collect::<String>()
        ),
    }
}
