//! Delivery through a configured relay.
//!
//! ```text
//! url.rs      smtp://user:pass@host:port
//! options.rs  limits and time-outs
//! connect.rs  session start: TLS, EHLO, AUTH
//! auth.rs     AUTH commands
//! tls.rs      TLS configurations
//! pool.rs     idle connections
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

use self::pool::RelayPool;
use self::tls::RelayTls;
use crate::client::connection::ClientConnection;
use crate::client::recipient_outcomes::RecipientOutcomes;
use crate::client::session_error::SessionError;
use crate::client::{MAX_MESSAGES_PER_CONNECTION, is_ehlo_name, transaction};

pub use self::options::RelayOptions;
pub use self::url::{RelayCredentials, RelaySecurity, RelayUrl, RelayUrlError};

/// Name of the relay in the reasons of deferrals.
const RELAY_NAME: &str = "the relay";

/// Reason for which a relay cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The host name is not valid in EHLO.
    #[error("the host name {0:?} is not valid in EHLO: it must be one word of printable ASCII")]
    Hostname(String),
    /// The host of the relay is not valid in a certificate.
    #[error("the relay host {0:?} is neither a domain name nor an address")]
    Host(String),
    /// The TLS library cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// Transport that sends all messages to one relay.
///
/// A failed session (no connection, no TLS, a refused password) never refuses a message. It defers, and the operator
/// can correct the cause.
#[derive(Debug)]
pub struct RelayTransport {
    options: RelayOptions,
    server_name: ServerName<'static>,
    tls: RelayTls,
    pool: RelayPool,
}

impl RelayTransport {
    /// Returns a transport that checks the certificate against public certificate authorities.
    ///
    /// A relay at a loopback address may have any certificate: no data crosses a network, and local servers mostly have
    /// self-signed ones.
    ///
    /// # Errors
    /// [`RelayError`] when the host name or relay is not valid, or TLS cannot be set up.
    pub fn new(options: RelayOptions) -> Result<Self, RelayError> {
        Self::build(options, RelayTls::with_public_roots()?)
    }

    /// Returns a transport that checks the certificate by this configuration, for every address.
    ///
    /// # Errors
    /// [`RelayError`] when the host name or relay is not valid.
    pub fn with_tls(options: RelayOptions, config: Arc<ClientConfig>) -> Result<Self, RelayError> {
        Self::build(options, RelayTls::with_config(config))
    }

    fn build(options: RelayOptions, tls: RelayTls) -> Result<Self, RelayError> {
        let hostname = &options.hostname;
        if !is_ehlo_name(hostname) {
            return Err(RelayError::Hostname(hostname.clone()));
        }
        let host = options.url.host.clone();
        let server_name = ServerName::try_from(host).map_err(|_| RelayError::Host(options.url.host.clone()))?;
        let pool = RelayPool::new(&options);
        Ok(Self { options, server_name, tls, pool })
    }

    async fn attempt(&self, mail: &OutgoingMail, outcomes: &mut RecipientOutcomes) -> Result<(), SessionError> {
        if let Some(connection) = self.pool.take().await {
            match self.transmit(connection, mail, outcomes).await {
                Err(error) if !outcomes.is_mail_answered() => {
                    tracing::debug!(%error, "idle connection closed");
                    outcomes.restart(RELAY_NAME);
                }
                done => return done,
            }
        }
        let connection = connect::open(&self.options, &self.server_name, &self.tls).await?;
        self.transmit(connection, mail, outcomes).await
    }

    async fn transmit(
        &self,
        mut connection: ClientConnection,
        mail: &OutgoingMail,
        outcomes: &mut RecipientOutcomes,
    ) -> Result<(), SessionError> {
        transaction::send(&mut connection, mail, outcomes, &self.options.timeouts).await?;
        if connection.count_message() < MAX_MESSAGES_PER_CONNECTION {
            self.pool.put(connection);
        } else {
            // The message is delivered, so its outcome must not wait for QUIT.
            tokio::spawn(connection.quit());
        }
        Ok(())
    }
}

#[async_trait]
impl Transport for RelayTransport {
    async fn deliver(&self, mail: &OutgoingMail) -> Vec<RecipientOutcome> {
        let mut outcomes = RecipientOutcomes::new(0..mail.recipients.len(), RELAY_NAME);
        let sent = outcomes.content_sent();
        let attempt = self.options.timeouts.run_within_total(&sent, self.attempt(mail, &mut outcomes)).await;
        let reason = match attempt {
            Some(Ok(())) => "the relay sent no reply for this recipient".to_owned(),
            Some(Err(error)) => error.describe(RELAY_NAME),
            None => "delivery to the relay took too long".to_owned(),
        };
        outcomes.into_outcomes(&mail.recipients, &reason).into_iter().map(|(_, outcome)| outcome).collect()
    }
}
