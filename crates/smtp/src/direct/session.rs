//! From an address to a session that can take mail.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Direct;
use super::hosts::Host;
use crate::client::connection::Connection;
use crate::client::opening::{greeted, hello, start_tls};
use crate::client::tls::{of_anyone, of_the_world};
use crate::client::trouble::Trouble;

/// How a session has to be protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Protection {
    /// By TLS with whatever certificate, or not at all: better than nothing against those who only listen (RFC 7435).
    Any,
    /// By TLS with a certificate that is valid for the host (RFC 8461, section 4.2).
    Valid,
}

/// How certificates are checked.
pub(super) struct Tls {
    pub(super) any: Arc<ClientConfig>,
    pub(super) valid: Arc<ClientConfig>,
}

impl Tls {
    pub(super) fn new() -> Result<Self, rustls::Error> {
        Ok(Self { any: Arc::new(of_anyone()?), valid: Arc::new(of_the_world()?) })
    }
}

impl Direct {
    /// Opens a session. Where TLS fails and need not be, another one is opened without it.
    pub(super) async fn open(
        &self,
        host: &Host,
        address: SocketAddr,
        protection: Protection,
    ) -> Result<Connection, Trouble> {
        let connection = self.greet(address).await?;
        let offers_tls = connection.capabilities.start_tls;
        let times = &self.options.timeouts;
        match protection {
            Protection::Valid if !offers_tls => {
                Err(Trouble::Unusable("offers no TLS, which its MTA-STS policy demands"))
            }
            Protection::Valid => {
                let config = Arc::clone(&self.tls.valid);
                start_tls(connection, &server_name(host, address), config, &self.options.hostname, times).await
            }
            Protection::Any if !offers_tls || self.memory.is_without_tls(address, &host.name()) => Ok(connection),
            Protection::Any => {
                let (config, name) = (Arc::clone(&self.tls.any), server_name(host, address));
                match start_tls(connection, &name, config, &self.options.hostname, times).await {
                    Ok(connection) => Ok(connection),
                    Err(trouble) => {
                        tracing::info!(%address, host = host.name(), %trouble, "TLS failed; the mail goes in the clear");
                        // A server that only says no to STARTTLS may say yes to the next mail.
                        if trouble.is_of_handshake() {
                            self.memory.note_without_tls(address, &host.name());
                        }
                        self.greet(address).await
                    }
                }
            }
        }
    }

    /// Connects, reads the greeting and says EHLO.
    async fn greet(&self, address: SocketAddr) -> Result<Connection, Trouble> {
        let times = &self.options.timeouts;
        let socket = match timeout(times.connect, TcpStream::connect(address)).await {
            Ok(socket) => socket.map_err(Trouble::Connect)?,
            Err(_) => return Err(Trouble::TimedOut { what: "the connection" }),
        };
        // Commands are written whole, so there is nothing to gather.
        socket.set_nodelay(true).map_err(Trouble::Connect)?;
        let mut connection = Connection::new(Box::new(socket));
        greeted(&mut connection, times).await?;
        hello(&mut connection, &self.options.hostname, times).await?;
        // Behind a port that is mapped we do not know our own address, but still our name.
        if self.options.is_own_name(&connection.capabilities.name) {
            return Err(Trouble::Ourselves);
        }
        Ok(connection)
    }
}

/// What a host is called in TLS: by its name where that can stand in a certificate.
fn server_name(host: &Host, address: SocketAddr) -> ServerName<'static> {
    let by_address = || ServerName::IpAddress(address.ip().into());
    match host {
        Host::Named(name) => ServerName::try_from(name.clone()).unwrap_or_else(|_| by_address()),
        Host::At(_) => by_address(),
    }
}
