//! From a TCP connection to a session that can take mail.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::auth;
use super::capabilities::Capabilities;
use super::connection::{Connection, Duplex};
use super::options::{RelayOptions, RelayTimeouts};
use super::tls::Tls;
use super::trouble::Trouble;
use super::url::Security;

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

    let start_tls = !implicit && connection.capabilities.start_tls;
    if start_tls {
        connection = upgrade(connection, name, config, times).await?;
        // What was offered before TLS counts no more (RFC 3207 section 4.2).
        hello(&mut connection, &options.hostname, times).await?;
    }
    if let Some(credentials) = &options.url.credentials {
        if !may_log_in(implicit || start_tls, peer.ip()) {
            return Err(Trouble::PasswordInTheClear);
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

async fn greeted(connection: &mut Connection, times: &RelayTimeouts) -> Result<(), Trouble> {
    let greeting = connection.reply("the connection", times.greeting).await?;
    if greeting.is_positive() {
        return Ok(());
    }
    Err(Trouble::answered("the connection", &greeting))
}

/// EHLO, and HELO for those who do not know it (RFC 5321 section 3.2).
async fn hello(connection: &mut Connection, hostname: &str, times: &RelayTimeouts) -> Result<(), Trouble> {
    let reply = connection.command("EHLO", &format!("EHLO {hostname}"), times.command).await?;
    if reply.is_positive() {
        connection.capabilities = Capabilities::read(&reply);
        return Ok(());
    }
    if !reply.is_permanent() {
        return Err(Trouble::answered("EHLO", &reply));
    }
    let reply = connection.command("HELO", &format!("HELO {hostname}"), times.command).await?;
    if !reply.is_positive() {
        return Err(Trouble::answered("HELO", &reply));
    }
    connection.capabilities = Capabilities::default();
    Ok(())
}

async fn upgrade(
    mut connection: Connection,
    name: &ServerName<'static>,
    config: Arc<ClientConfig>,
    times: &RelayTimeouts,
) -> Result<Connection, Trouble> {
    let reply = connection.command("STARTTLS", "STARTTLS", times.command).await?;
    if reply.code != 220 {
        return Err(Trouble::answered("STARTTLS", &reply));
    }
    let stream = connection.into_stream()?;
    Ok(Connection::new(secure(stream, name, config, times.connect).await?))
}

async fn secure(
    stream: Box<dyn Duplex>,
    name: &ServerName<'static>,
    config: Arc<ClientConfig>,
    wait: Duration,
) -> Result<Box<dyn Duplex>, Trouble> {
    match timeout(wait, TlsConnector::from(config).connect(name.clone(), stream)).await {
        Ok(Ok(secure)) => Ok(Box::new(secure)),
        Ok(Err(error)) => Err(Trouble::Tls(error)),
        Err(_) => Err(Trouble::TimedOut { what: "the TLS handshake" }),
    }
}
