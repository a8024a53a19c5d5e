//! From a stream to a session that can take mail: the greeting, EHLO, STARTTLS.

use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::Timeouts;
use super::capabilities::Capabilities;
use super::connection::{Connection, Duplex};
use super::trouble::{HANDSHAKE, Trouble};

/// Reads the greeting.
pub(crate) async fn greeted(connection: &mut Connection, times: &Timeouts) -> Result<(), Trouble> {
    let greeting = connection.reply("the connection", times.greeting).await?;
    if greeting.is_positive() {
        return Ok(());
    }
    Err(Trouble::answered("the connection", &greeting))
}

/// EHLO, and HELO for those who do not know it (RFC 5321 section 3.2).
pub(crate) async fn hello(connection: &mut Connection, hostname: &str, times: &Timeouts) -> Result<(), Trouble> {
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

/// Puts TLS on a session that offers it, and says EHLO once more: what was offered before TLS counts no more (RFC 3207
/// section 4.2).
pub(crate) async fn start_tls(
    mut connection: Connection,
    name: &ServerName<'static>,
    config: Arc<ClientConfig>,
    hostname: &str,
    times: &Timeouts,
) -> Result<Connection, Trouble> {
    let reply = connection.command("STARTTLS", "STARTTLS", times.command).await?;
    if reply.code != 220 {
        return Err(Trouble::answered("STARTTLS", &reply));
    }
    let stream = connection.into_stream()?;
    let mut connection = Connection::new(secure(stream, name, config, times.connect).await?);
    hello(&mut connection, hostname, times).await?;
    Ok(connection)
}

/// A TLS handshake.
pub(crate) async fn secure(
    stream: Box<dyn Duplex>,
    name: &ServerName<'static>,
    config: Arc<ClientConfig>,
    wait: Duration,
) -> Result<Box<dyn Duplex>, Trouble> {
    match timeout(wait, TlsConnector::from(config).connect(name.clone(), stream)).await {
        Ok(Ok(secure)) => Ok(Box::new(secure)),
        Ok(Err(error)) => Err(Trouble::Tls(error)),
        Err(_) => Err(Trouble::TimedOut { what: HANDSHAKE }),
    }
}
