//! Scan of a message by an external scanner over HTTP.

mod request;
mod response;

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use hyper::{Request, Uri};
use inboxd_core::ports::SuspectMail;
use inboxd_core::rules::trust::ScannerFinding;
use tokio::time::timeout;

use crate::client::{self, GuardedClient, IdleLimits, build_client};
use crate::request_error::RequestError;
use crate::target_url::TargetUrl;
use crate::{AddressGuard, Authorities};

/// Idle connections for the next messages.
const SCANNER_IDLE_LIMITS: IdleLimits = IdleLimits { max_per_host: 32, timeout: Duration::from_secs(20) };
/// Limit of the response body.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Reason for which the scanner returned no findings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScannerError {
    /// The scanner is unreachable.
    #[error("the scanner is unreachable: {0}")]
    Unreachable(String),
    /// The scanner did not respond in time.
    #[error("the scanner did not respond in time")]
    TimedOut,
    /// The scanner rejected the message, or its response is not valid.
    #[error("the scanner did not scan the message: {0}")]
    NotScanned(String),
}

/// Reason for which a text is not the URL of a scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a URL such as http://127.0.0.1:9000/scan, without a user name or password")]
pub struct ScannerUrlError;

/// URL to which messages are posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScannerUrl(Uri);

impl std::str::FromStr for ScannerUrl {
    type Err = ScannerUrlError;

    fn from_str(text: &str) -> Result<Self, ScannerUrlError> {
        TargetUrl::parse(text.trim()).map(|url| Self(url.uri())).map_err(|_| ScannerUrlError)
    }
}

/// Client of the configured scanner. Clones are cheap and share connections.
#[derive(Debug, Clone)]
pub struct ScannerClient {
    url: ScannerUrl,
    authorization: Option<HeaderValue>,
    client: GuardedClient<Full<Bytes>>,
}

impl ScannerClient {
    /// Returns a client of the scanner at this URL, which receives the token as `Authorization: Bearer`. The operator
    /// configures the URL, so it may be on a private network.
    ///
    /// # Errors
    /// [`rustls::Error`] when the TLS library cannot be set up.
    pub fn new(
        url: ScannerUrl,
        token: Option<&str>,
        connect: Duration,
        authorities: &Authorities,
    ) -> Result<Self, rustls::Error> {
        let authorization = token.and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
        let authorization = authorization.map(|mut value| {
            value.set_sensitive(true);
            value
        });
        let tls = authorities.tls_config()?;
        let client = build_client(AddressGuard::permitting_all(), connect, tls, SCANNER_IDLE_LIMITS);
        Ok(Self { url, authorization, client })
    }

    /// Scans a message for threats within a time limit.
    ///
    /// # Errors
    /// [`ScannerError`] when the scanner does not respond in time or its response is not valid.
    pub async fn scan(&self, mail: &SuspectMail<'_>, limit: Duration) -> Result<Vec<ScannerFinding>, ScannerError> {
        timeout(limit, self.request(mail)).await.unwrap_or(Err(ScannerError::TimedOut))
    }

    async fn request(&self, mail: &SuspectMail<'_>) -> Result<Vec<ScannerFinding>, ScannerError> {
        let unreadable = |_| ScannerError::NotScanned("the request is not valid".to_owned());
        let body = Full::new(Bytes::from(request::body(mail)));
        let mut request = Request::post(self.url.0.clone()).body(body).map_err(unreadable)?;
        let fields = request.headers_mut();
        fields.insert(USER_AGENT, HeaderValue::from_static(client::USER_AGENT));
        fields.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        fields.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(authorization) = &self.authorization {
            fields.insert(AUTHORIZATION, authorization.clone());
        }
        let sent = self.client.request(request).await;
        let response = sent.map_err(|error| match client::classify_error(&error) {
            RequestError::Broken => ScannerError::NotScanned("its response broke off".to_owned()),
            RequestError::Tls(reason) => ScannerError::Unreachable(format!("no secure connection: {reason}")),
            _ => ScannerError::Unreachable("its name is unknown, or it accepts no connection".to_owned()),
        })?;
        let status = response.status();
        if !status.is_success() {
            return Err(ScannerError::NotScanned(format!("it returned {status}")));
        }
        let read = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
        let read = read.map_err(|_| ScannerError::NotScanned("its response broke off or was too large".to_owned()))?;
        response::parse(&read.to_bytes())
            .map_err(|reason| ScannerError::NotScanned(format!("its response is not valid: {reason}")))
    }
}
