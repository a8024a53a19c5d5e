//! TLS handshakes of clients, and the challenges of ACME at the TLS listener.

use std::io::{Error, ErrorKind, Result};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rustls::ServerConfig;
use rustls::server::{Acceptor, ClientHello};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::server::TlsStream;

use crate::connection_limits::{ConnectionCaps, ConnectionLimits};
use crate::metrics::{HandshakeOutcome, HttpMetrics};

/// Time for a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// ALPN protocol id of the challenge `tls-alpn-01` (RFC 8737, section 6.2).
const ALPN_ACME: &[u8] = b"acme-tls/1";

/// Responses to the challenges of ACME orders in progress (RFC 8555, section 8).
#[async_trait]
pub trait ChallengeResponses: Send + Sync {
    /// Returns the key authorization of a token for `http-01`; `None` without such a challenge.
    async fn http(&self, token: &str) -> Option<String>;

    /// Returns the TLS configuration that proves control of a name for `tls-alpn-01` (RFC 8737); `None` without such a
    /// challenge.
    async fn tls_alpn(&self, name: &str) -> Option<Arc<ServerConfig>>;
}

/// TLS of listeners.
#[derive(Clone)]
pub struct TlsOptions {
    /// Configuration with the certificate. Its ALPN protocols are those of the API: `h2` and `http/1.1`.
    pub config: Arc<ServerConfig>,
    /// Maximum number of handshakes in progress. One address may have a sixteenth of them, its network an eighth.
    pub max_handshakes: usize,
}

/// TLS handshakes of one server, with their limits.
///
/// A handshake is in progress from the complete `ClientHello` on. Before, a connection costs no computation and counts only
/// against the limits of connections.
pub(crate) struct Handshakes {
    options: TlsOptions,
    challenges: Option<Arc<dyn ChallengeResponses>>,
    metrics: Arc<HttpMetrics>,
    running: Semaphore,
    of_clients: Arc<ConnectionLimits>,
}

impl Handshakes {
    pub(crate) fn new(
        options: TlsOptions,
        challenges: Option<Arc<dyn ChallengeResponses>>,
        metrics: Arc<HttpMetrics>,
    ) -> Self {
        let most = options.max_handshakes.max(1);
        let caps = ConnectionCaps { address: most.div_ceil(16), network: most.div_ceil(8) };
        Self { options, challenges, metrics, running: Semaphore::new(most), of_clients: ConnectionLimits::new(caps) }
    }

    /// Performs a handshake within its time limit.
    ///
    /// # Errors
    /// The client is too slow, has too many handshakes in progress, or does not speak TLS.
    pub(crate) async fn accept(&self, stream: TcpStream, client: IpAddr) -> Result<TlsStream<TcpStream>> {
        let accepted = timeout(HANDSHAKE_TIMEOUT, self.handshake(stream, client)).await;
        let accepted = accepted.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()));
        let outcome = match &accepted {
            Ok(_) => HandshakeOutcome::Completed,
            Err(error) if error.kind() == ErrorKind::TimedOut => HandshakeOutcome::TimedOut,
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => HandshakeOutcome::Refused,
            Err(_) => HandshakeOutcome::Failed,
        };
        self.metrics.count_handshake(outcome);
        accepted.inspect_err(
            |error| tracing::debug!(%client, %error, outcome = outcome.as_str(), "TLS handshake not completed"),
        )
    }

    async fn handshake(&self, stream: TcpStream, client: IpAddr) -> Result<TlsStream<TcpStream>> {
        let start = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
        let (Ok(_permit), Some(_of_client)) = (self.running.try_acquire(), self.of_clients.enter(client)) else {
            return Err(Error::new(ErrorKind::ConnectionRefused, "handshake limit reached"));
        };
        let Some(name) = challenged_name(&start.client_hello()) else {
            return start.into_stream(Arc::clone(&self.options.config)).await;
        };
        let config = match &self.challenges {
            Some(challenges) => challenges.tls_alpn(&name).await,
            None => None,
        };
        let config = config.ok_or_else(|| Error::other("no challenge of this name"))?;
        // The handshake is the response; no request follows (RFC 8737, section 3).
        start.into_stream(config).await?.shutdown().await?;
        Err(Error::other("challenge responded"))
    }
}

/// Returns the name of a handshake that validates a challenge: its only protocol is `acme-tls/1`.
fn challenged_name(hello: &ClientHello<'_>) -> Option<String> {
    let is_challenge = hello.alpn().is_some_and(|mut protocols| {
        protocols.next().is_some_and(|protocol| protocol == ALPN_ACME) && protocols.next().is_none()
    });
    is_challenge.then(|| hello.server_name().unwrap_or_default().to_owned())
}
