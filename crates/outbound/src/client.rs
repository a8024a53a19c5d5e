//! HTTP client behind the address guard, shared by fetching and sending.

use std::error::Error as StdError;
use std::time::Duration;

use hyper::body::Body;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;

use crate::AddressGuard;
use crate::connect::{GuardedConnector, UnreachableHost};
use crate::request_error::RequestError;

/// Value of the `User-Agent` header.
pub(crate) const USER_AGENT: &str = concat!("inboxd/", env!("CARGO_PKG_VERSION"));

/// Limit of the head of a response: status line and header fields.
const MAX_HEAD_BYTES: usize = 32 * 1024;

/// HTTP client that connects through the address guard only.
pub(crate) type GuardedClient<B> = Client<HttpsConnector<GuardedConnector>, B>;

/// Time limits of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientTimeouts {
    /// Limit for one connection: name resolution and TCP connect.
    pub connect: Duration,
    /// Limit for the whole request, including the last byte of the response.
    pub total: Duration,
}

/// Limits of idle connections that are reused for later requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IdleLimits {
    /// Number of idle connections for each host.
    pub(crate) max_per_host: usize,
    /// Time after which an idle connection is closed.
    pub(crate) timeout: Duration,
}

impl IdleLimits {
    /// No idle connections.
    pub(crate) const NONE: Self = Self { max_per_host: 0, timeout: Duration::ZERO };
}

/// Returns a client with this guard, connect timeout, TLS configuration and idle limits.
pub(crate) fn build_client<B>(
    guard: AddressGuard,
    connect: Duration,
    tls: ClientConfig,
    idle: IdleLimits,
) -> GuardedClient<B>
where
    B: Body + Send,
    B::Data: Send,
{
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .wrap_connector(GuardedConnector::new(guard, connect));
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(idle.timeout)
        .pool_max_idle_per_host(idle.max_per_host)
        .http1_max_buf_size(MAX_HEAD_BYTES)
        .build(connector)
}

/// Maps a client error to the reason that callers see.
///
/// A failed connection is an error of our own connector. Any other failure while connecting is a TLS failure.
pub(crate) fn classify_error(error: &ClientError) -> RequestError {
    if !error.is_connect() {
        return RequestError::Broken;
    }
    let mut last = "the handshake failed".to_owned();
    let mut cause = StdError::source(error);
    while let Some(error) = cause {
        if error.is::<UnreachableHost>() {
            return RequestError::Unreachable;
        }
        last = error.to_string();
        cause = error.source();
    }
    RequestError::Tls(last)
}
