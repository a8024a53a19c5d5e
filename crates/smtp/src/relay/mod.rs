//! Handing outgoing mail to a configured relay.
//!
//! ```text
//! url.rs      smtp://user:pass@host:port
//! options.rs  limits and time-outs
//! connect.rs  from a TCP connection to a session that can take mail: TLS, EHLO, AUTH
//! auth.rs     proving who we are
//! tls.rs      whose certificates are trusted
//! pool.rs     connections that wait for the next mail
//! ```

mod auth;
mod connect;
mod options;
mod pool;
#[cfg(test)]
mod tests;
mod tls;
mod url;

use std::sync::Arc;

use async_trait::async_trait;
use inboxd_core::ports::{OutgoingMail, RecipientOutcome, Transport};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;

use self::pool::Pool;
use self::tls::Tls;
use crate::client::connection::Connection;
use crate::client::ledger::Ledger;
use crate::client::trouble::Trouble;
use crate::client::{MAILS_PER_CONNECTION, can_be_said, transaction};

pub use self::options::RelayOptions;
pub use self::url::{Credentials, RelayUrl, Security, UrlError};

/// What the relay is called in the reasons why a mail is deferred.
const RELAY: &str = "the relay";

/// Why a relay cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The name for EHLO cannot be one.
    #[error("the host name {0:?} cannot be said in EHLO: it has to be one word of printable ASCII")]
    Hostname(String),
    /// The relay's name can be in no certificate.
    #[error("the relay's name {0:?} is neither a domain name nor an address")]
    Host(String),
    /// TLS cannot be used at all.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// A relay: a server that takes our mail and brings it to the world.
///
/// What goes wrong with the session (no connection, no TLS, a refused password) is never a refusal of the mail: it is
/// deferred, and the operator can put it right.
#[derive(Debug)]
pub struct Relay {
    options: RelayOptions,
    server_name: ServerName<'static>,
    tls: Tls,
    pool: Pool,
}

impl Relay {
    /// A relay whose certificate is checked against the roots that browsers trust.
    ///
    /// On this very machine (a loopback address) any certificate will do: nothing crosses a network, and local mail
    /// servers mostly hold one that they signed themselves.
    pub fn new(options: RelayOptions) -> Result<Self, RelayError> {
        Self::build(options, Tls::public()?)
    }

    /// A relay whose certificate is checked as the configuration says, wherever it is.
    pub fn with_tls(options: RelayOptions, config: Arc<ClientConfig>) -> Result<Self, RelayError> {
        Self::build(options, Tls::given(config))
    }

    fn build(options: RelayOptions, tls: Tls) -> Result<Self, RelayError> {
        let hostname = &options.hostname;
        if !can_be_said(hostname) {
            return Err(RelayError::Hostname(hostname.clone()));
        }
        let host = options.url.host.clone();
        let server_name = ServerName::try_from(host).map_err(|_| RelayError::Host(options.url.host.clone()))?;
        let pool = Pool::new(&options);
        Ok(Self { options, server_name, tls, pool })
    }

    async fn attempt(&self, mail: &OutgoingMail, ledger: &mut Ledger) -> Result<(), Trouble> {
        if let Some(connection) = self.pool.take().await {
            match self.hand_over(connection, mail, ledger).await {
                Err(trouble) if !ledger.mail_was_answered() => {
                    tracing::debug!(%trouble, "a waiting connection was dead; another is opened");
                    ledger.begin_again(RELAY);
                }
                done => return done,
            }
        }
        let connection = connect::open(&self.options, &self.server_name, &self.tls).await?;
        self.hand_over(connection, mail, ledger).await
    }

    async fn hand_over(
        &self,
        mut connection: Connection,
        mail: &OutgoingMail,
        ledger: &mut Ledger,
    ) -> Result<(), Trouble> {
        transaction::send(&mut connection, mail, ledger, &self.options.timeouts).await?;
        if connection.count_mail() < MAILS_PER_CONNECTION {
            self.pool.put(connection);
        } else {
            // The mail is out, and whoever waits for the answer must know at once.
            tokio::spawn(connection.quit());
        }
        Ok(())
    }
}

#[async_trait]
impl Transport for Relay {
    async fn deliver(&self, mail: &OutgoingMail) -> Vec<RecipientOutcome> {
        let mut ledger = Ledger::of(0..mail.recipients.len(), RELAY);
        let sent = ledger.sent();
        let attempt = self.options.timeouts.in_all(&sent, self.attempt(mail, &mut ledger)).await;
        let reason = match attempt {
            Some(Ok(())) => "the relay said nothing of this recipient".to_owned(),
            Some(Err(trouble)) => trouble.with(RELAY),
            None => "handing the mail to the relay took too long".to_owned(),
        };
        ledger.outcomes(&mail.recipients, &reason).into_iter().map(|(_, outcome)| outcome).collect()
    }
}
