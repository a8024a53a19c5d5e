//! Sessions with mail hosts.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use inboxd_core::model::SessionTls;
use inboxd_core::rules::outgoing_tls::TlsRequirement;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::DirectTransport;
use super::dane::dane_config;
use super::hosts::MailHost;
use super::requirement::{missing_offer, plain_text_refusal, session_tls};
use crate::client::connection::ClientConnection;
use crate::client::handshake::{read_greeting, send_ehlo, start_tls};
use crate::client::session_error::SessionError;
use crate::client::tls::{any_certificate, public_roots};

/// TLS configurations that do not depend on the host.
pub(super) struct DirectTls {
    pub(super) opportunistic: Arc<ClientConfig>,
    pub(super) verified: Arc<ClientConfig>,
}

impl DirectTls {
    pub(super) fn new() -> Result<Self, rustls::Error> {
        Ok(Self { opportunistic: Arc::new(any_certificate()?), verified: Arc::new(public_roots()?) })
    }

    /// Returns the configuration for a requirement.
    fn config(&self, requirement: &TlsRequirement) -> Result<Arc<ClientConfig>, rustls::Error> {
        match requirement {
            TlsRequirement::Opportunistic | TlsRequirement::Offered | TlsRequirement::Encrypted(_) => {
                Ok(Arc::clone(&self.opportunistic))
            }
            TlsRequirement::Verified(_) => Ok(Arc::clone(&self.verified)),
            TlsRequirement::Dane(set) => dane_config(set).map(Arc::new),
        }
    }
}

impl DirectTransport {
    /// Opens a session, and sets the flag if the host offers TLS. If TLS fails where plain text is permitted, it opens
    /// another one without TLS.
    pub(super) async fn open(
        &self,
        host: &MailHost,
        address: SocketAddr,
        requirement: &TlsRequirement,
        is_tls_offered: &AtomicBool,
    ) -> Result<ClientConnection, SessionError> {
        let connection = self.greet(address).await?;
        let is_optional = *requirement == TlsRequirement::Opportunistic;
        if !connection.capabilities.start_tls {
            return missing_offer(requirement).map_or(Ok(connection), |why| Err(SessionError::UnusableServer(why)));
        }
        is_tls_offered.store(true, Ordering::Relaxed);
        if is_optional && self.host_status.has_broken_tls(address, &host.name()) {
            return Ok(connection);
        }
        let error = match self.encrypt(connection, host, address, requirement).await {
            Ok(connection) => return Ok(connection),
            Err(error) => error,
        };
        if let Some(demand) = plain_text_refusal(requirement) {
            return Err(error.without_plain_text(demand));
        }
        tracing::info!(%address, host = host.name(), %error, "TLS failed, continuing without TLS");
        // A server that only refuses STARTTLS may accept it for the next message.
        if error.is_handshake_failure() {
            self.host_status.mark_broken_tls(address, &host.name());
        }
        self.greet(address).await
    }

    async fn encrypt(
        &self,
        connection: ClientConnection,
        host: &MailHost,
        address: SocketAddr,
        requirement: &TlsRequirement,
    ) -> Result<ClientConnection, SessionError> {
        let config = self.tls.config(requirement).map_err(|error| SessionError::Tls(std::io::Error::other(error)))?;
        let name = match requirement {
            TlsRequirement::Dane(set) => set.names.first().cloned(),
            _ => None,
        };
        let name = name.map_or_else(|| server_name(host, address), |name| named_or_address(name, address));
        let config = (config, session_tls(requirement));
        start_tls(connection, &name, config, &self.options.hostname, &self.options.timeouts).await
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
        let mut connection = ClientConnection::new(Box::new(socket), SessionTls::None);
        read_greeting(&mut connection, times).await?;
        send_ehlo(&mut connection, &self.options.hostname, times).await?;
        // Behind a port mapping our own address is unknown, but our name is not.
        if self.options.is_own_name(&connection.capabilities.name) {
            return Err(SessionError::OwnServer);
        }
        Ok(connection)
    }
}

/// Returns the TLS name of a host.
fn server_name(host: &MailHost, address: SocketAddr) -> ServerName<'static> {
    match host {
        MailHost::Named(name) => named_or_address(name.clone(), address),
        MailHost::At(_) => ServerName::IpAddress(address.ip().into()),
    }
}

/// Returns a TLS name, or the address when the name cannot occur in a certificate.
fn named_or_address(name: String, address: SocketAddr) -> ServerName<'static> {
    ServerName::try_from(name).unwrap_or_else(|_| ServerName::IpAddress(address.ip().into()))
}
