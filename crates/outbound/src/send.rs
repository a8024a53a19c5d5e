//! HTTP sender of webhook notifications.

mod body;

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use hyper::{HeaderMap, Request, Response};
use hyper_util::client::legacy::connect::capture_connection;
use inboxd_core::ports::{NotAnswered, Notification, OnItsWay, WebhookAnswer, WebhookSender};
use rustls::ClientConfig;
use tokio::time::{Instant, timeout_at};

use self::body::SignallingBody;
use crate::client::{self, ClientTimeouts, GuardedClient, IdleLimits, build_client, classify_error};
use crate::guarded_stream::ConnectionState;
use crate::request_error::RequestError;
use crate::target_url::TargetUrl;
use crate::{AddressGuard, Authorities};

/// Timeouts of a delivery attempt (`wire.md`, section 6): 15 s in total, 5 s of them to connect.
const SEND_TIMEOUTS: ClientTimeouts =
    ClientTimeouts { connect: Duration::from_secs(5), total: Duration::from_secs(15) };

/// Limits of idle connections: the attempts that one webhook has at a time. Many servers close idle connections after 5
/// s.
const SEND_IDLE_LIMITS: IdleLimits = IdleLimits { max_per_host: 8, timeout: Duration::from_millis(4_500) };

/// Limit for reading the body of a response. The status alone decides the outcome.
const BODY_TIMEOUT: Duration = Duration::from_secs(2);

/// Client that sends notifications to the URLs of callers through an [`AddressGuard`].
///
/// Connections are reused, and redirects are not followed. Clones are cheap and share connections.
#[derive(Debug, Clone)]
pub struct GuardedSender {
    client: GuardedClient<SignallingBody>,
    timeouts: ClientTimeouts,
}

impl GuardedSender {
    /// Returns a sender with the default timeouts: 5 s to connect, 15 s in total.
    ///
    /// # Errors
    /// [`rustls::Error`] when the TLS library cannot be set up.
    pub fn new(guard: AddressGuard, authorities: &Authorities) -> Result<Self, rustls::Error> {
        Self::with_timeouts(guard, authorities, SEND_TIMEOUTS)
    }

    /// Returns a sender with these timeouts.
    ///
    /// # Errors
    /// [`rustls::Error`] when the TLS library cannot be set up.
    pub fn with_timeouts(
        guard: AddressGuard,
        authorities: &Authorities,
        timeouts: ClientTimeouts,
    ) -> Result<Self, rustls::Error> {
        Ok(Self::with_tls(guard, timeouts, authorities.tls_config()?))
    }

    /// Returns a sender with this TLS configuration.
    pub(crate) fn with_tls(guard: AddressGuard, timeouts: ClientTimeouts, tls: ClientConfig) -> Self {
        Self { client: build_client(guard, timeouts.connect, tls, SEND_IDLE_LIMITS), timeouts }
    }

    /// Sends the request until a response arrives.
    ///
    /// The peer may close an idle connection at the moment of its reuse. That is no failure of the webhook, so the
    /// request is repeated on another connection.
    async fn request(&self, notification: Notification, on_sent: OnItsWay) -> Result<Response<Incoming>, RequestError> {
        let target = TargetUrl::parse(&notification.url)?;
        let headers = headers(&notification.headers)?;
        let content = Bytes::from(notification.body);
        let mut body = SignallingBody::new(content.clone(), on_sent);
        loop {
            let mut request = Request::post(target.uri()).body(body).map_err(|_| RequestError::InvalidUrl)?;
            *request.headers_mut() = headers.clone();
            let connection = capture_connection(&mut request);
            match self.client.request(request).await {
                Ok(response) => {
                    if let Some(state) = response.extensions().get::<ConnectionState>() {
                        state.mark_proven();
                    }
                    return Ok(response);
                }
                Err(error)
                    if !error.is_connect()
                        && ConnectionState::of(&connection).is_some_and(|state| state.is_proven()) =>
                {
                    body = SignallingBody::resend(content.clone());
                }
                Err(error) => return Err(classify_error(&error)),
            }
        }
    }

    async fn deliver(&self, notification: Notification, on_sent: OnItsWay) -> Result<WebhookAnswer, RequestError> {
        let deadline = Instant::now() + self.timeouts.total;
        let response = timeout_at(deadline, self.request(notification, on_sent)).await;
        let (head, body) = response.map_err(|_| RequestError::TimedOut)??.into_parts();
        let mut prefix = Vec::new();
        let enough = deadline.min(Instant::now() + BODY_TIMEOUT);
        // The body may be complete, broken off or slow: its received part is stored, and the status counts.
        let _ = timeout_at(enough, read_prefix(body, &mut prefix)).await;
        Ok(WebhookAnswer { status: head.status.as_u16(), body: bounded_text(&prefix) })
    }
}

#[async_trait]
impl WebhookSender for GuardedSender {
    async fn send(&self, notification: Notification, on_sent: OnItsWay) -> Result<WebhookAnswer, NotAnswered> {
        let answer = self.deliver(notification, on_sent).await;
        answer.map_err(|error| NotAnswered(describe_error(&error, self.timeouts)))
    }
}

/// Returns the header fields of the notification. The sender's own fields replace those of the same name.
fn headers(fields: &[(String, String)]) -> Result<HeaderMap, RequestError> {
    let mut headers = HeaderMap::with_capacity(fields.len() + 4);
    for (name, value) in fields {
        let name = HeaderName::try_from(name).map_err(|_| RequestError::InvalidField)?;
        headers.insert(name, HeaderValue::try_from(value).map_err(|_| RequestError::InvalidField)?);
    }
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(USER_AGENT, HeaderValue::from_static(client::USER_AGENT));
    Ok(headers)
}

/// Reads the stored prefix of a body. A longer body closes the connection, because it is dropped unread.
async fn read_prefix(mut body: Incoming, prefix: &mut Vec<u8>) {
    while let Some(Ok(frame)) = body.frame().await {
        if let Some(data) = frame.data_ref() {
            let remaining = WebhookAnswer::MAX_ANSWER_BYTES - prefix.len();
            prefix.extend_from_slice(data.get(..remaining).unwrap_or(data));
            if data.len() > remaining {
                return;
            }
        }
    }
}

/// Returns the bytes as text of bounded length.
fn bounded_text(prefix: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(prefix).into_owned();
    text.truncate(text.floor_char_boundary(WebhookAnswer::MAX_ANSWER_BYTES));
    text
}

/// Returns the error text for the owner of the webhook.
fn describe_error(error: &RequestError, timeouts: ClientTimeouts) -> String {
    match error {
        RequestError::Unreachable => {
            "the host of the URL cannot be reached: its name is unknown, it accepts no connection, or \
            its address is not public; check the URL (the operator can allow private addresses with \
            INBOXD_OUTBOUND_ALLOW_CIDRS)"
                .to_owned()
        }
        RequestError::Tls(cause) => format!("no secure connection to the host: {cause}; give it a valid certificate"),
        RequestError::TimedOut => {
            format!("no response within {} s; respond first, then process the event", timeouts.total.as_secs())
        }
        RequestError::Broken => "the connection closed before a valid HTTP response".to_owned(),
        other => other.to_string(),
    }
}
