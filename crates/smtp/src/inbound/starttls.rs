//! STARTTLS command (RFC 3207).

use std::sync::Arc;

use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::connection_limits::ConnectionPermit;
use super::metrics::HandshakeResult;
use super::reply::Reply;
use super::state::{ServerContext, SessionState};
use super::wire::SessionStream;

/// Validates that TLS can start now.
pub(super) fn validate_start(state: &SessionState, server: &ServerContext) -> Result<(), Reply> {
    if state.is_secure {
        return Err(Reply::Sequence { cause: "TLS is already active; continue" });
    }
    if server.options.tls.is_none() {
        return Err(Reply::NotOffered { verb: "STARTTLS" });
    }
    if state.identity.is_none() {
        return Err(Reply::Sequence { cause: "no EHLO yet; send EHLO first" });
    }
    Ok(())
}

/// Performs the handshake. After a failure the connection is useless to both sides.
pub(super) async fn handshake<S: SessionStream>(
    stream: S,
    server: &ServerContext,
    permit: &ConnectionPermit,
) -> Option<TlsStream<S>> {
    let acceptor = TlsAcceptor::from(Arc::clone(server.options.tls.as_ref()?));
    let limit = permit.pressure().shorten(server.options.timeouts.handshake);
    let (result, secure) = match permit.wait_for_client(timeout(limit, acceptor.accept(stream))).await? {
        Ok(Ok(secure)) => (HandshakeResult::Completed, Some(secure)),
        Ok(Err(error)) => {
            tracing::debug!(%error, "TLS handshake failed");
            (HandshakeResult::Failed, None)
        }
        Err(_) => {
            tracing::debug!("TLS handshake timed out");
            (HandshakeResult::TimedOut, None)
        }
    };
    server.options.metrics.count_handshake(result);
    secure
}
