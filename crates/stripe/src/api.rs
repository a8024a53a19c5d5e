//! One call of Stripe's API.

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

/// The version of the API that the forms and answers of this crate are written for.
const VERSION: &str = "2024-06-20";
/// An answer has at most this many octets.
const LARGEST_BODY: usize = 1024 * 1024;
/// The head of an answer, status line and fields, has at most this many.
const LARGEST_HEAD: usize = 32 * 1024;

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For everything: a second try, and the last octet of the body.
    pub whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), whole: Duration::from_secs(15) }
    }
}

/// Why Stripe cannot be called at all.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// The secret key cannot stand in a header.
    #[error("the secret key holds characters that no key has")]
    Key,
    /// The TLS library cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// What came back.
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

/// Calls Stripe with the operator's key.
pub(crate) struct Api {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    url: ApiUrl,
    authorization: HeaderValue,
    patience: Patience,
}

impl Api {
    /// Prepares calls.
    pub(crate) fn new(url: ApiUrl, key: &str, patience: Patience) -> Result<Self, SetUpError> {
        let mut authorization = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| SetUpError::Key)?;
        authorization.set_sensitive(true);
        let tls = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_webpki_roots()
            .with_no_client_auth();
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(patience.connect));
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        // Payments are rare: a connection that is kept would mostly be found closed.
        let client = Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(0)
            .http1_max_buf_size(LARGEST_HEAD)
            .build(connector.wrap_connector(tcp));
        Ok(Self { client, url, authorization, patience })
    }

    /// Sends a form. With the same key Stripe does it once, so that it can be sent again where the connection broke.
    pub(crate) async fn post(&self, path: &str, form: String, key: &str) -> Result<Answered, PaymentsError> {
        let form = Bytes::from(form);
        let calls = async {
            match self.once(path, form.clone(), key).await {
                Err(PaymentsError::Unavailable(_)) => self.once(path, form, key).await,
                answer => answer,
            }
        };
        timeout(self.patience.whole, calls)
            .await
            .unwrap_or_else(|_| Err(PaymentsError::Unavailable("it did not answer in time".to_owned())))
    }

    async fn once(&self, path: &str, form: Bytes, key: &str) -> Result<Answered, PaymentsError> {
        let request = Request::builder()
            .method(Method::POST)
            .uri(self.url.of(path))
            .header(AUTHORIZATION, self.authorization.clone())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header("Idempotency-Key", key)
            .header("Stripe-Version", VERSION)
            .header(USER_AGENT, concat!("inboxd/", env!("CARGO_PKG_VERSION")))
            .body(Full::new(form))
            .map_err(|error| PaymentsError::Refused(format!("the request cannot be written: {error}")))?;
        let response = self.client.request(request).await.map_err(|error| PaymentsError::Unavailable(words(&error)))?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), LARGEST_BODY).collect().await;
        let body = body.map_err(|error| PaymentsError::Unavailable(words(error.as_ref())))?;
        Ok(Answered { status, body: body.to_bytes() })
    }
}

/// An error with its causes: what is wrong stands in the innermost.
fn words(error: &(dyn StdError + 'static)) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words.chars().take(500).collect()
}
