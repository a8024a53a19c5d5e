//! AUTH PLAIN (RFC 4616) and AUTH LOGIN.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::url::RelayCredentials;
use crate::client::capabilities::AuthMechanism;
use crate::client::connection::ClientConnection;
use crate::client::reply::ServerReply;
use crate::client::session_error::SessionError;

/// Reason not to send the password without TLS.
pub(super) const PLAINTEXT_REFUSAL: &str =
    "offers no TLS, and the password is not sent in plain text: use smtps:// or a relay with STARTTLS";
/// Reason not to authenticate without a supported mechanism.
const MECHANISM_REFUSAL: &str =
    "offers neither AUTH PLAIN nor AUTH LOGIN: check its address, or leave out user and password";

/// Authenticates the client. The caller ensures that the connection is private.
pub(super) async fn authenticate(
    connection: &mut ClientConnection,
    credentials: &RelayCredentials,
    wait: Duration,
) -> Result<(), SessionError> {
    let RelayCredentials { user, password } = credentials;
    let reply = match connection.capabilities.mechanism {
        Some(AuthMechanism::Plain) => {
            let proof = STANDARD.encode(format!("\0{user}\0{password}"));
            connection.command("AUTH", &format!("AUTH PLAIN {proof}"), wait).await?
        }
        Some(AuthMechanism::Login) => {
            require_continuation(&connection.command("AUTH", "AUTH LOGIN", wait).await?)?;
            require_continuation(&connection.command("AUTH", &STANDARD.encode(user), wait).await?)?;
            connection.command("AUTH", &STANDARD.encode(password), wait).await?
        }
        None => return Err(SessionError::UnusableServer(MECHANISM_REFUSAL)),
    };
    if reply.is_positive() {
        return Ok(());
    }
    Err(SessionError::rejected("AUTH", &reply))
}

fn require_continuation(reply: &ServerReply) -> Result<(), SessionError> {
    if reply.code == 334 {
        return Ok(());
    }
    Err(SessionError::rejected("AUTH", reply))
}
