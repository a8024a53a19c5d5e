//! From a TCP connection to a session that can take mail.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::auth;
use super::options::RelayOptions;
use super::tls::Tls;
use super::url::Security;
use crate::client::connection::{Connection, Duplex};
use crate::client::opening::{greeted, hello, secure, start_tls};
use crate::client::trouble::Trouble;

/// Opens a session: TLS where it is asked for or offered, then AUTH where there are credentials.
pub(super) async fn open(options: &RelayOptions, name: &ServerName<'static>, tls: &Tls) -> Result<Connection, Trouble> {
    let times = &options.timeouts;
    let socket = dial(&options.url.host, options.url.port, times.connect).await?;
    let peer = socket.peer_addr().map_err(Trouble::Connect)?;
    let on_this_machine = peer.ip().to_canonical().is_loopback();
    let config = tls.config(on_this_machine);

    let implicit = options.url.security == Security::Implicit;
    let stream: Box<dyn Duplex> = if implicit {
        secure(Box::new(socket), name, Arc::clone(&config), times.connect).await?
    } else {
        Box::new(socket)
    };
    let mut connection = Connection::new(stream);
    greeted(&mut connection, times).await?;
    hello(&mut connection, &options.hostname, times).await?;

    let upgrades = !implicit && connection.capabilities.start_tls;
    if upgrades {
        connection = start_tls(connection, name, config, &options.hostname, times).await?;
    }
    if let Some(credentials) = &options.url.credentials {
        if !may_log_in(implicit || upgrades, peer.ip()) {
            return Err(Trouble::Unusable(auth::IN_THE_CLEAR));
        }
        auth::log_in(&mut connection, credentials, times.command).await?;
    }
    Ok(connection)
}

/// A password is said under TLS, or where nobody else can listen.
pub(super) fn may_log_in(secure: bool, peer: IpAddr) -> bool {
    secure || peer.to_canonical().is_loopback()
}

async fn dial(host: &str, port: u16, wait: Duration) -> Result<TcpStream, Trouble> {
    let socket = match timeout(wait, TcpStream::connect((host, port))).await {
        Ok(socket) => socket.map_err(Trouble::Connect)?,
        Err(_) => return Err(Trouble::TimedOut { what: "the connection" }),
    };
    // Commands are written whole, so there is nothing to gather.
    socket.set_nodelay(true).map_err(Trouble::Connect)?;
    Ok(socket)
}
