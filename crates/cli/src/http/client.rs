//! Client of one server.

use std::error::Error as StdError;
use std::io::Write;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt;
use http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, USER_AGENT,
};
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::time::timeout;

use super::body::RequestBody;
use super::{ApiRequest, BaseUrl, tls_config};
use crate::failure::{CommandFailure, ExitStatus};
use crate::output::progress::TransferProgress;

/// Limit for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Limit for the head of a response. Requests that wait take up to a minute.
const HEAD_TIMEOUT: Duration = Duration::from_secs(100);
/// Limit for the next part of a response.
const PART_TIMEOUT: Duration = Duration::from_mins(1);
/// Limit of a response that is held in memory.
const MAX_RESPONSE_BYTES: usize = 256 * 1024 * 1024;
/// Text of a response that ends too early.
pub(crate) const BROKEN: &str = "the response broke off";

/// Client of one server, with the key of the caller.
#[derive(Debug)]
pub(crate) struct ApiClient {
    http: Client<HttpsConnector<HttpConnector>, RequestBody>,
    base: BaseUrl,
    key: Option<String>,
}

impl ApiClient {
    /// Creates a client.
    pub(crate) fn new(base: BaseUrl, key: Option<String>) -> Result<Self, CommandFailure> {
        warn_if_exposed(&base);
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls_config()?)
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        Ok(Self { http: Client::builder(TokioExecutor::new()).build(connector), base, key })
    }

    /// Returns the base URL of the server.
    pub(crate) fn base(&self) -> &BaseUrl {
        &self.base
    }

    /// Returns the headers of a request, in the order of sending.
    pub(crate) fn headers(&self, request: &ApiRequest) -> Vec<(String, String)> {
        let mut headers = vec![
            (USER_AGENT.to_string(), concat!("inboxd-cli/", env!("CARGO_PKG_VERSION")).to_owned()),
            (ACCEPT.to_string(), request.accept.clone()),
        ];
        headers.extend(self.key.iter().map(|key| (AUTHORIZATION.to_string(), format!("Bearer {key}"))));
        headers.extend(request.content_type().map(|content_type| (CONTENT_TYPE.to_string(), content_type.to_owned())));
        headers.extend(request.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())));
        headers
    }

    /// Sends a request. A response without success is a failure; a redirect is not followed, for the key would go to a
    /// place that the caller did not name.
    pub(crate) async fn send(&self, request: &ApiRequest) -> Result<Response<Incoming>, CommandFailure> {
        let url = format!("{}{}", self.base, request.target());
        let mut built = Request::builder().method(request.method.clone()).uri(&url);
        for (name, value) in self.headers(request) {
            let unusable = |_| CommandFailure::usage(format!("the header {name} cannot hold its value"));
            let mut header = HeaderValue::from_str(&value).map_err(unusable)?;
            header.set_sensitive(name == AUTHORIZATION.as_str());
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| CommandFailure::usage(format!("{name:?} is no name of a header")))?;
            built = built.header(name, header);
        }
        let built = built
            .body(RequestBody::new(request.body_bytes()))
            .map_err(|error| CommandFailure::usage(format!("{url} is no valid URL: {error}")))?;
        let sent = timeout(HEAD_TIMEOUT, self.http.request(built)).await.map_err(|_| {
            let cause = format!("{} did not respond within {} seconds", self.base, HEAD_TIMEOUT.as_secs());
            CommandFailure::new(ExitStatus::Unreachable, cause)
        })?;
        let response = sent.map_err(|error| self.unreachable(&error))?;
        let status = response.status();
        if status.is_success() || status == StatusCode::SWITCHING_PROTOCOLS {
            return Ok(response);
        }
        if let Some(target) = response.headers().get(LOCATION).filter(|_| status.is_redirection()) {
            let target = String::from_utf8_lossy(target.as_bytes()).into_owned();
            return Err(CommandFailure::local(format!("{url} redirects to {target}, which is not followed"))
                .fix("name the server by its final URL with --url or INBOXD_URL"));
        }
        let body = collect(response, None).await?;
        Err(self.explained(CommandFailure::from_response(status, &body)))
    }

    /// Sends a request and reads its JSON. A response without a body is `null`.
    pub(crate) async fn json(&self, request: &ApiRequest) -> Result<Value, CommandFailure> {
        let body = collect(self.send(request).await?, None).await?;
        if body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&body).map_err(|error| {
            CommandFailure::local(format!("{} responded with a body that is no JSON: {error}", self.base))
                .fix("check that --url or INBOXD_URL names an inboxd")
        })
    }

    /// Sends a request and reads the bytes of its response.
    pub(crate) async fn bytes(&self, request: &ApiRequest) -> Result<Bytes, CommandFailure> {
        let response = self.send(request).await?;
        let total = response.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        let progress = TransferProgress::start("received", total.and_then(|value| value.parse().ok()));
        collect(response, Some(progress)).await
    }

    fn unreachable(&self, error: &ClientError) -> CommandFailure {
        let mut cause = String::new();
        let mut source = error.source();
        while let Some(inner) = source {
            cause = format!(": {inner}");
            source = inner.source();
        }
        CommandFailure::new(ExitStatus::Unreachable, format!("{} cannot be reached{cause}", self.base))
            .fix("check that the server runs, and the URL in --url, INBOXD_URL or the profile")
    }

    /// Adds the next step of the command line to a refusal for want of a key.
    fn explained(&self, failure: CommandFailure) -> CommandFailure {
        match (failure.status, &self.key) {
            (ExitStatus::SignedOut, None) => {
                CommandFailure::new(ExitStatus::SignedOut, format!("not signed in to {}", self.base)).fix(
                    "sign in with `inboxd login EMAIL`, create an account with `inboxd sign-up`, or set INBOXD_API_KEY",
                )
            }
            _ => failure,
        }
    }
}

/// Reads the whole body of a response.
async fn collect(
    response: Response<Incoming>,
    mut progress: Option<TransferProgress>,
) -> Result<Bytes, CommandFailure> {
    let mut body = response.into_body().into_data_stream();
    let mut read = BytesMut::new();
    let broken = |cause: String| CommandFailure::new(ExitStatus::Unreachable, format!("{BROKEN}: {cause}"));
    loop {
        let part = timeout(PART_TIMEOUT, body.try_next()).await;
        let part = part.map_err(|_| broken("the server sends nothing more".to_owned()))?;
        let Some(part) = part.map_err(|error| broken(error.to_string()))? else { return Ok(read.freeze()) };
        if read.len() + part.len() > MAX_RESPONSE_BYTES {
            return Err(broken(format!("it is larger than {} MB", MAX_RESPONSE_BYTES / 1024 / 1024)));
        }
        if let Some(progress) = &mut progress {
            progress.add(part.len());
        }
        read.extend_from_slice(&part);
    }
}

/// Warns once that keys and mail cross a network unencrypted.
fn warn_if_exposed(base: &BaseUrl) {
    static WARNED: OnceLock<()> = OnceLock::new();
    if base.is_exposed() && WARNED.set(()).is_ok() {
        // A closed standard error is no reason to fail.
        let _ = writeln!(std::io::stderr(), "inboxd: warning: {base} is not encrypted; use https outside this machine");
    }
}
