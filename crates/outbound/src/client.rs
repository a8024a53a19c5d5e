//! The HTTP client behind the guard, which fetching and sending share.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Body;
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use rustls::crypto::aws_lc_rs;

use crate::Guard;
use crate::connect::{Connector, Unreachable};
use crate::problem::Problem;

/// What inboxd calls itself.
pub(crate) const USER_AGENT: &str = concat!("inboxd/", env!("CARGO_PKG_VERSION"));

/// The head of an answer, status line and fields, has at most this many octets.
const LARGEST_HEAD: usize = 32 * 1024;

/// A client whose every connection goes through the guard.
pub(crate) type GuardedClient<B> = Client<HttpsConnector<Connector>, B>;

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For one connection: resolving the name and connecting.
    pub connect: Duration,
    /// For everything, the last octet of the answer included.
    pub whole: Duration,
}

/// Which connections stay open after an answer, for the next request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Idle {
    /// How many for one host.
    pub(crate) most: usize,
    /// For how long.
    pub(crate) time: Duration,
}

impl Idle {
    /// None.
    pub(crate) const NONE: Self = Self { most: 0, time: Duration::ZERO };
}

/// TLS that trusts the certificate authorities of the web.
///
/// # Errors
/// When the TLS library cannot be set up.
pub(crate) fn tls_of_the_web() -> Result<ClientConfig, rustls::Error> {
    let tls = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    Ok(tls.with_safe_default_protocol_versions()?.with_webpki_roots().with_no_client_auth())
}

/// A client that trusts what this configuration trusts.
pub(crate) fn client<B>(guard: Guard, connect: Duration, tls: ClientConfig, idle: Idle) -> GuardedClient<B>
where
    B: Body + Send,
    B::Data: Send,
{
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .wrap_connector(Connector::new(guard, connect));
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(idle.time)
        .pool_max_idle_per_host(idle.most)
        .http1_max_buf_size(LARGEST_HEAD)
        .build(connector)
}

/// What an error of the client is to the caller. A connection that could not be opened is our connector's own error;
/// any other failure to connect is TLS.
pub(crate) fn why(error: &ClientError) -> Problem {
    if !error.is_connect() {
        return Problem::Broken;
    }
    let mut last = "the handshake failed".to_owned();
    let mut cause = StdError::source(error);
    while let Some(error) = cause {
        if error.is::<Unreachable>() {
            return Problem::Unreachable;
        }
        last = error.to_string();
        cause = error.source();
    }
    Problem::Tls(last)
}
