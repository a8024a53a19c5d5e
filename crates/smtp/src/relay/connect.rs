//! Session start with a relay.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use inboxd_core::model::SessionTls;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::auth;
use super::options::RelayOptions;
use super::tls::RelayTls;
use super::url::RelaySecurity;
use crate::client::connection::{ClientConnection, ClientStream};
use crate::client::handshake::{read_greeting, send_ehlo, start_tls, tls_handshake};
use crate::client::session_error::SessionError;

/// Opens a session: TLS if required or offered, then AUTH if there are credentials.
pub(super) async fn open(
    options: &RelayOptions,
    name: &ServerName<'static>,
    tls: &RelayTls,
) -> Result<ClientConnection, SessionError> {
    let times = &options.timeouts;
    let socket = dial(&options.url.host, options.url.port, times.connect).await?;
    let peer = socket.peer_addr().map_err(SessionError::Connect)?;
    let is_local = peer.ip().to_canonical().is_loopback();
    let (config, proven) = tls.config(is_local);

    let implicit = options.url.security == RelaySecurity::Implicit;
    let stream: Box<dyn ClientStream> = if implicit {
        tls_handshake(Box::new(socket), name, Arc::clone(&config), times.connect).await?
    } else {
        Box::new(socket)
    };
    let mut connection = ClientConnection::new(stream, if implicit { proven } else { SessionTls::None });
    read_greeting(&mut connection, times).await?;
    send_ehlo(&mut connection, &options.hostname, times).await?;

    let upgrades = !implicit && connection.capabilities.start_tls;
    if upgrades {
        connection = start_tls(connection, name, (config, proven), &options.hostname, times).await?;
    }
    if let Some(credentials) = &options.url.credentials {
        if !may_authenticate(implicit || upgrades, peer.ip()) {
            return Err(SessionError::UnusableServer(auth::PLAINTEXT_REFUSAL));
        }
        auth::authenticate(&mut connection, credentials, times.command).await?;
    }
    Ok(connection)
}

/// Returns whether the password may be sent: under TLS or to this machine.
pub(super) fn may_authenticate(secure: bool, peer: IpAddr) -> bool {
    secure || peer.to_canonical().is_loopback()
}

async fn dial(host: &str, port: u16, wait: Duration) -> Result<TcpStream, SessionError> {
    let socket = match timeout(wait, TcpStream::connect((host, port))).await {
        Ok(socket) => socket.map_err(SessionError::Connect)?,
        Err(_) => return Err(SessionError::TimedOut { stage: "the connection" }),
    };
    // Commands are written in one piece, so delayed packets save nothing.
    socket.set_nodelay(true).map_err(SessionError::Connect)?;
    Ok(socket)
}
