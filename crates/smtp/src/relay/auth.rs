//! AUTH PLAIN (RFC 4616) and AUTH LOGIN.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::capabilities::Mechanism;
use super::connection::Connection;
use super::reply::Reply;
use super::trouble::Trouble;
use super::url::Credentials;

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
        None => return Err(Trouble::NoMechanism),
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
