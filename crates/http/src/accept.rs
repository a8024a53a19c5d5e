//! Accepted sockets become connections: header of the proxy, limits of the client, TLS.

use std::io::{ErrorKind, Result};
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;

use inboxd_core::rules::trusted_proxies::TrustedProxies;
use inboxd_proxy_protocol::read_client;
use socket2::SockRef;
use tokio::net::TcpStream;

use crate::client_stream::ClientStream;
use crate::connection::{Connection, RefusalRenderer};
use crate::connection_limits::ConnectionLimits;
use crate::metrics::HttpMetrics;
use crate::tls::Handshakes;

/// Acceptor of one listener.
#[derive(Clone)]
pub(crate) struct Acceptor {
    pub(crate) connections: Arc<ConnectionLimits>,
    pub(crate) trusted_proxies: TrustedProxies,
    /// Whether each connection begins with a PROXY protocol header.
    pub(crate) requires_proxy: bool,
    /// Handshakes of the server, if the listener speaks TLS.
    pub(crate) handshakes: Option<Arc<Handshakes>>,
    pub(crate) metrics: Arc<HttpMetrics>,
}

impl Acceptor {
    /// Returns the connection of a socket and the address of its client.
    ///
    /// # Errors
    /// The listener requires a PROXY protocol header and none came from a trusted proxy, the client has too many
    /// connections, or its handshake failed.
    pub(crate) async fn accept(
        &self,
        mut socket: TcpStream,
        refuse: RefusalRenderer,
    ) -> Result<(Connection, SocketAddr)> {
        let peer = socket.peer_addr()?;
        let client = if self.requires_proxy {
            let read = read_client(&mut socket, peer, &self.trusted_proxies).await;
            read.inspect_err(|error| tracing::debug!(%peer, %error, "connection without proxy header closed"))?
        } else {
            peer
        };
        // The requests of a trusted proxy are counted for its clients instead.
        let permit = if self.trusted_proxies.contains(client.ip()) {
            None
        } else if let Some(permit) = self.connections.enter(client.ip()) {
            Some(permit)
        } else {
            self.metrics.refused_connections.inc();
            tracing::debug!(client = %client.ip(), "connection limit reached");
            // On failure the connection is closed already.
            let _ = SockRef::from(&socket).shutdown(Shutdown::Both);
            return Err(ErrorKind::ConnectionRefused.into());
        };
        let counted = (permit, self.metrics.open_connection());
        let stream = match (&self.handshakes, ClientStream::plain(socket)) {
            (Some(handshakes), ClientStream::Plain(socket)) => {
                ClientStream::Tls(Box::new(handshakes.accept(socket, client.ip()).await?))
            }
            (_, stream) => stream,
        };
        Ok((Connection::new(stream, counted, refuse), client))
    }
}
