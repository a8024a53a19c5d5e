//! AUTH PLAIN (RFC 4616) and AUTH LOGIN.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::url::Credentials;
use crate::client::capabilities::Mechanism;
use crate::client::connection::Connection;
use crate::client::reply::Reply;
use crate::client::trouble::Trouble;

/// Why no password is said where others may listen.
pub(super) const IN_THE_CLEAR: &str =
    "offers no TLS, and the password is not sent in the clear: use smtps:// or a relay with STARTTLS";
/// Why no password is said to a relay that asks for it in another way.
const NO_MECHANISM: &str =
    "offers neither AUTH PLAIN nor AUTH LOGIN: check its address, or leave out user and password";

/// Proves who we are. That nobody can listen is for the caller to see to.
pub(super) async fn log_in(
    connection: &mut Connection,
    credentials: &Credentials,
    wait: Duration,
) -> Result<(), Trouble> {
    let Credentials { user, password } = credentials;
    let reply = match connection.capabilities.mechanism {
        Some(Mechanism::Plain) => {
            let proof = STANDARD.encode(format!("\0{user}\0{password}"));
            connection.command("AUTH", &format!("AUTH PLAIN {proof}"), wait).await?
        }
        Some(Mechanism::Login) => {
            asked_on(&connection.command("AUTH", "AUTH LOGIN", wait).await?)?;
            asked_on(&connection.command("AUTH", &STANDARD.encode(user), wait).await?)?;
            connection.command("AUTH", &STANDARD.encode(password), wait).await?
        }
        None => return Err(Trouble::Unusable(NO_MECHANISM)),
    };
    if reply.is_positive() {
        return Ok(());
    }
    Err(Trouble::answered("AUTH", &reply))
}

fn asked_on(reply: &Reply) -> Result<(), Trouble> {
    if reply.code == 334 {
        return Ok(());
    }
    Err(Trouble::answered("AUTH", reply))
}
