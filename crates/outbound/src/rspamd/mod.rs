//! Spam check by rspamd over HTTP (`POST /checkv2`).

mod response;

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{HeaderName, HeaderValue, USER_AGENT};
use hyper::{HeaderMap, Request, Uri};
use inboxd_core::model::SpamReport;
use inboxd_core::ports::SuspectMail;
use inboxd_mail::EmailAddress;
use tokio::time::timeout;

use crate::client::{self, ClientTimeouts, GuardedClient, IdleLimits, build_client};
use crate::request_error::RequestError;
use crate::target_url::TargetUrl;
use crate::{AddressGuard, Authorities};

/// Timeouts of a check, during which the inbound message waits: 2 s to connect, 5 s in total.
const CHECK_TIMEOUTS: ClientTimeouts =
    ClientTimeouts { connect: Duration::from_secs(2), total: Duration::from_secs(5) };
/// Idle connections for the next messages.
const RSPAMD_IDLE_LIMITS: IdleLimits = IdleLimits { max_per_host: 32, timeout: Duration::from_secs(20) };
/// Limit of the response body.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;
/// Number of recipients that are sent to rspamd.
const MAX_RECIPIENTS: usize = 50;

/// Reason for which rspamd returned no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RspamdError {
    /// rspamd is unreachable, which affects all other messages too.
    #[error("rspamd is unreachable: {0}")]
    Unreachable(String),
    /// rspamd did not respond in time. The message itself may be the cause.
    #[error("rspamd did not respond in time")]
    TimedOut,
    /// rspamd rejected this message, or its response is not valid.
    #[error("rspamd did not check the message: {0}")]
    NotProcessed(String),
}

/// Reason for which a text is not the URL of rspamd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a URL such as http://127.0.0.1:11333, without a path, a query or a password")]
pub struct RspamdUrlError;

/// Base URL of rspamd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RspamdUrl(Uri);

impl std::str::FromStr for RspamdUrl {
    type Err = RspamdUrlError;

    fn from_str(text: &str) -> Result<Self, RspamdUrlError> {
        let base = TargetUrl::parse(text.trim()).map_err(|_| RspamdUrlError)?.uri();
        if base.path() != "/" || base.query().is_some() {
            return Err(RspamdUrlError);
        }
        let mut parts = base.into_parts();
        parts.path_and_query = Some(hyper::http::uri::PathAndQuery::from_static("/checkv2"));
        Uri::from_parts(parts).map(Self).map_err(|_| RspamdUrlError)
    }
}

/// Client of the configured rspamd. Clones are cheap and share connections.
#[derive(Debug, Clone)]
pub struct RspamdClient {
    url: RspamdUrl,
    client: GuardedClient<Full<Bytes>>,
}

impl RspamdClient {
    /// Returns a client of the rspamd at this URL. The operator configures it, so it may be on a private network.
    ///
    /// # Errors
    /// [`rustls::Error`] when the TLS library cannot be set up.
    pub fn new(url: RspamdUrl) -> Result<Self, rustls::Error> {
        let guard = AddressGuard::permitting_all();
        Ok(Self {
            url,
            client: build_client(
                guard,
                CHECK_TIMEOUTS.connect,
                Authorities::public().tls_config()?,
                RSPAMD_IDLE_LIMITS,
            ),
        })
    }

    /// Checks a message for spam.
    ///
    /// # Errors
    /// [`RspamdError`] when rspamd does not respond in time or its response is not valid.
    pub async fn check(&self, mail: &SuspectMail<'_>) -> Result<SpamReport, RspamdError> {
        match timeout(CHECK_TIMEOUTS.total, self.request(mail)).await {
            Ok(checked) => checked,
            Err(_) => Err(RspamdError::TimedOut),
        }
    }

    async fn request(&self, mail: &SuspectMail<'_>) -> Result<SpamReport, RspamdError> {
        let body = Full::new(Bytes::copy_from_slice(mail.raw));
        let unreadable = |_| RspamdError::NotProcessed("the request is not valid".to_owned());
        let mut request = Request::post(self.url.0.clone()).body(body).map_err(unreadable)?;
        *request.headers_mut() = request_headers(mail);
        let sent = self.client.request(request).await;
        let response = sent.map_err(|error| match client::classify_error(&error) {
            RequestError::Broken => RspamdError::NotProcessed("its response broke off".to_owned()),
            error => RspamdError::Unreachable(error.to_string()),
        })?;
        let status = response.status();
        if !status.is_success() {
            return Err(RspamdError::NotProcessed(format!("it returned {status}")));
        }
        let read = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
        let read = read.map_err(|_| RspamdError::NotProcessed("its response broke off or was too large".to_owned()))?;
        response::parse_report(&read.to_bytes())
            .ok_or_else(|| RspamdError::NotProcessed("its response is not valid".to_owned()))
    }
}

/// Returns the header fields that describe client and envelope to rspamd.
fn request_headers(mail: &SuspectMail<'_>) -> HeaderMap {
    let mut fields = HeaderMap::new();
    let mut add = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            fields.append(HeaderName::from_static(name), value);
        }
    };
    add(USER_AGENT.as_str(), client::USER_AGENT);
    if let Some((ip, helo)) = mail.client {
        add("ip", &ip.to_string());
        add("helo", helo);
    }
    add("from", mail.envelope_from.map_or("<>", EmailAddress::as_str));
    for recipient in mail.recipients.iter().take(MAX_RECIPIENTS) {
        add("rcpt", recipient.as_str());
    }
    fields
}
