//! HTTP client of the Stripe API.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use hyper::{Method, Request};
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use inboxd_core::ports::PaymentsError;
use rustls::ClientConfig;
use rustls::crypto::aws_lc_rs;
use tokio::time::timeout;

use crate::ApiUrl;

/// API version of the forms and responses of this crate.
const API_VERSION: &str = "2024-06-20";
/// Limit of a response body.
const MAX_BODY_BYTES: usize = 1024 * 1024;
/// Limit of the head of a response: status line and header fields.
const MAX_HEAD_BYTES: usize = 32 * 1024;

/// Time limits of an API call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiTimeouts {
    /// Limit for one connection.
    pub connect: Duration,
    /// Limit for the whole call, including a second attempt and the last byte of the body.
    pub total: Duration,
}

impl Default for ApiTimeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), total: Duration::from_secs(15) }
    }
}

/// Reason for which calls to Stripe cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The secret key is not a valid header value.
    #[error("the secret key has characters that are not valid in a header")]
    Key,
    /// The TLS library cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// Response with a complete body.
pub(crate) struct ApiResponse {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

/// Client with the secret key of the operator.
pub(crate) struct ApiClient {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    url: ApiUrl,
    authorization: HeaderValue,
    timeouts: ApiTimeouts,
}

impl ApiClient {
    /// Returns a client for this base URL.
    pub(crate) fn new(url: ApiUrl, key: &str, timeouts: ApiTimeouts) -> Result<Self, SetupError> {
        let mut authorization = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| SetupError::Key)?;
        authorization.set_sensitive(true);
        let tls = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_webpki_roots()
            .with_no_client_auth();
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(timeouts.connect));
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        // Payments are rare, so idle connections would mostly be closed by the peer.
        let client = Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(0)
            .http1_max_buf_size(MAX_HEAD_BYTES)
            .build(connector.wrap_connector(tcp));
        Ok(Self { client, url, authorization, timeouts })
    }

    /// Posts a form. Stripe executes an idempotency key once, so a broken connection permits a second attempt.
    pub(crate) async fn post(&self, path: &str, form: String, key: &str) -> Result<ApiResponse, PaymentsError> {
        let form = Bytes::from(form);
        let calls = async {
            match self.send_once(path, form.clone(), key).await {
                Err(PaymentsError::Unavailable(_)) => self.send_once(path, form, key).await,
                answer => answer,
            }
        };
        timeout(self.timeouts.total, calls)
            .await
            .unwrap_or_else(|_| Err(PaymentsError::Unavailable("it did not respond in time".to_owned())))
    }

    async fn send_once(&self, path: &str, form: Bytes, key: &str) -> Result<ApiResponse, PaymentsError> {
        let request = Request::builder()
            .method(Method::POST)
            .uri(self.url.join(path))
            .header(AUTHORIZATION, self.authorization.clone())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header("Idempotency-Key", key)
            .header("Stripe-Version", API_VERSION)
            .header(USER_AGENT, concat!("inboxd/", env!("CARGO_PKG_VERSION")))
            .body(Full::new(form))
            .map_err(|error| PaymentsError::Refused(format!("the request cannot be written: {error}")))?;
        let response =
            self.client.request(request).await.map_err(|error| PaymentsError::Unavailable(describe_error(&error)))?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), MAX_BODY_BYTES).collect().await;
        let body = body.map_err(|error| PaymentsError::Unavailable(describe_error(error.as_ref())))?;
        Ok(ApiResponse { status, body: body.to_bytes() })
    }
}

/// Returns the text of an error and its sources. The innermost source states the cause.
fn describe_error(error: &(dyn StdError + 'static)) -> String {
    let mut describe_error = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        describe_error = format!("{describe_error}: {error}");
        cause = error.source();
    }
    describe_error.chars().take(500).collect()
}
