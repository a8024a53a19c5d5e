//! Session start: greeting, EHLO and STARTTLS.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::model::SessionTls;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::ClientTimeouts;
use super::capabilities::ServerCapabilities;
use super::connection::{ClientConnection, ClientStream};
use super::session_error::{HANDSHAKE_STAGE, STARTTLS_STAGE, SessionError};

/// Reads the greeting.
pub(crate) async fn read_greeting(
    connection: &mut ClientConnection,
    times: &ClientTimeouts,
) -> Result<(), SessionError> {
    let greeting = connection.reply("the connection", times.greeting).await?;
    if greeting.is_positive() {
        return Ok(());
    }
    Err(SessionError::rejected("the connection", &greeting))
}

/// Sends EHLO, or HELO to servers without EHLO (RFC 5321, section 3.2).
pub(crate) async fn send_ehlo(
    connection: &mut ClientConnection,
    hostname: &str,
    times: &ClientTimeouts,
) -> Result<(), SessionError> {
    let reply = connection.command("EHLO", &format!("EHLO {hostname}"), times.command).await?;
    if reply.is_positive() {
        connection.capabilities = ServerCapabilities::read(&reply);
        return Ok(());
    }
    if !reply.is_permanent() {
        return Err(SessionError::rejected("EHLO", &reply));
    }
    let reply = connection.command("HELO", &format!("HELO {hostname}"), times.command).await?;
    if !reply.is_positive() {
        return Err(SessionError::rejected("HELO", &reply));
    }
    connection.capabilities = ServerCapabilities::default();
    Ok(())
}

/// Starts TLS and sends EHLO again, because earlier extensions are void (RFC 3207, section 4.2). `tls` is the TLS that
/// the configuration proves.
pub(crate) async fn start_tls(
    mut connection: ClientConnection,
    name: &ServerName<'static>,
    (config, tls): (Arc<ClientConfig>, SessionTls),
    hostname: &str,
    times: &ClientTimeouts,
) -> Result<ClientConnection, SessionError> {
    let reply = connection.command(STARTTLS_STAGE, "STARTTLS", times.command).await?;
    if reply.code != 220 {
        return Err(SessionError::rejected(STARTTLS_STAGE, &reply));
    }
    let stream = connection.into_stream()?;
    let mut connection = ClientConnection::new(tls_handshake(stream, name, config, times.connect).await?, tls);
    send_ehlo(&mut connection, hostname, times).await?;
    Ok(connection)
}

/// Performs a TLS handshake.
pub(crate) async fn tls_handshake(
    stream: Box<dyn ClientStream>,
    name: &ServerName<'static>,
    config: Arc<ClientConfig>,
    wait: Duration,
) -> Result<Box<dyn ClientStream>, SessionError> {
    match timeout(wait, TlsConnector::from(config).connect(name.clone(), stream)).await {
        Ok(Ok(secure)) => Ok(Box::new(secure)),
        Ok(Err(error)) => Err(SessionError::Tls(error)),
        Err(_) => Err(SessionError::TimedOut { stage: HANDSHAKE_STAGE }),
    }
}
