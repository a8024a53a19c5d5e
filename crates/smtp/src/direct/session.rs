//! Sessions with mail hosts.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::DirectTransport;
use super::hosts::MailHost;
use crate::client::connection::ClientConnection;
use crate::client::handshake::{read_greeting, send_ehlo, start_tls};
use crate::client::session_error::SessionError;
use crate::client::tls::{any_certificate, public_roots};

/// TLS requirement of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TlsRequirement {
    /// TLS with any certificate, or none: better than plain text against passive observers (RFC 7435).
    Opportunistic,
    /// TLS with a certificate that is valid for the host (RFC 8461, section 4.2).
    Verified,
}

/// TLS configurations by requirement.
pub(super) struct DirectTls {
    pub(super) opportunistic: Arc<ClientConfig>,
    pub(super) verified: Arc<ClientConfig>,
}

impl DirectTls {
    pub(super) fn new() -> Result<Self, rustls::Error> {
        Ok(Self { opportunistic: Arc::new(any_certificate()?), verified: Arc::new(public_roots()?) })
    }
}

impl DirectTransport {
    /// Opens a session. If optional TLS fails, it opens another one without TLS.
    pub(super) async fn open(
        &self,
        host: &MailHost,
        address: SocketAddr,
        requirement: TlsRequirement,
    ) -> Result<ClientConnection, SessionError> {
        let connection = self.greet(address).await?;
        let offers_tls = connection.capabilities.start_tls;
        let times = &self.options.timeouts;
        match requirement {
            TlsRequirement::Verified if !offers_tls => {
                Err(SessionError::UnusableServer("offers no TLS, which its MTA-STS policy demands"))
            }
            TlsRequirement::Verified => {
                let config = Arc::clone(&self.tls.verified);
                start_tls(connection, &server_name(host, address), config, &self.options.hostname, times).await
            }
            TlsRequirement::Opportunistic if !offers_tls || self.host_status.has_broken_tls(address, &host.name()) => {
                Ok(connection)
            }
            TlsRequirement::Opportunistic => {
                let (config, name) = (Arc::clone(&self.tls.opportunistic), server_name(host, address));
                match start_tls(connection, &name, config, &self.options.hostname, times).await {
                    Ok(connection) => Ok(connection),
                    Err(error) => {
                        tracing::info!(%address, host = host.name(), %error, "TLS failed, continuing without TLS");
                        // A server that only refuses STARTTLS may accept it for the next message.
                        if error.is_handshake_failure() {
                            self.host_status.mark_broken_tls(address, &host.name());
                        }
                        self.greet(address).await
                    }
                }
            }
        }
    }

    /// Connects, reads the greeting and sends EHLO.
    async fn greet(&self, address: SocketAddr) -> Result<ClientConnection, SessionError> {
        let times = &self.options.timeouts;
        let socket = match timeout(times.connect, TcpStream::connect(address)).await {
            Ok(socket) => socket.map_err(SessionError::Connect)?,
            Err(_) => return Err(SessionError::TimedOut { stage: "the connection" }),
        };
        // Commands are written in one piece, so delayed packets save nothing.
        socket.set_nodelay(true).map_err(SessionError::Connect)?;
        let mut connection = ClientConnection::new(Box::new(socket), false);
        read_greeting(&mut connection, times).await?;
        send_ehlo(&mut connection, &self.options.hostname, times).await?;
        // Behind a port mapping our own address is unknown, but our name is not.
        if self.options.is_own_name(&connection.capabilities.name) {
            return Err(SessionError::OwnServer);
        }
        Ok(connection)
    }
}

/// Returns the TLS name of a host, or its address when the name cannot occur in a certificate.
fn server_name(host: &MailHost, address: SocketAddr) -> ServerName<'static> {
    let by_address = || ServerName::IpAddress(address.ip().into());
    match host {
        MailHost::Named(name) => ServerName::try_from(name.clone()).unwrap_or_else(|_| by_address()),
        MailHost::At(_) => by_address(),
    }
}
