//! STARTTLS (RFC 3207).

use std::sync::Arc;

use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::connections::ConnectionPermit;
use super::reply::Reply;
use super::state::{Hall, State};
use super::wire::Stream;

/// Whether TLS can begin now.
pub(super) fn answer(state: &State, hall: &Hall) -> Result<(), Reply> {
    if state.secure {
        return Err(Reply::Sequence { cause: "TLS is on already; go on" });
    }
    if hall.options.tls.is_none() {
        return Err(Reply::NotOffered { verb: "STARTTLS" });
    }
    if state.hello.is_none() {
        return Err(Reply::Sequence { cause: "nobody was introduced; send EHLO first" });
    }
    Ok(())
}

/// The handshake. When it fails the connection is of no more use to either side.
pub(super) async fn handshake<S: Stream>(stream: S, hall: &Hall, permit: &ConnectionPermit) -> Option<TlsStream<S>> {
    let acceptor = TlsAcceptor::from(Arc::clone(hall.options.tls.as_ref()?));
    let limit = permit.pressure().shorten(hall.options.timeouts.handshake);
    match permit.wait_for_client(timeout(limit, acceptor.accept(stream))).await? {
        Ok(Ok(secure)) => Some(secure),
        Ok(Err(error)) => {
            tracing::debug!(%error, "a TLS handshake failed");
            None
        }
        Err(_) => {
            tracing::debug!("a TLS handshake took too long");
            None
        }
    }
}
