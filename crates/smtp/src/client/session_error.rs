//! Session errors and their texts, which are the reasons of deferrals.

use std::fmt;
use std::io;

use rustls::{CertificateError, OtherError};

use super::reply::ServerReply;

/// Stage of the command that starts TLS.
pub(crate) const STARTTLS_STAGE: &str = "STARTTLS";
/// Stage of a TLS handshake.
pub(crate) const HANDSHAKE_STAGE: &str = "the TLS handshake";

/// Reason for which a session cannot continue.
#[derive(Debug)]
pub(crate) enum SessionError {
    /// The TCP connection failed.
    Connect(io::Error),
    /// The server did not respond in time.
    TimedOut { stage: &'static str },
    /// The connection broke.
    Broken { stage: &'static str },
    /// The reply is not valid SMTP.
    InvalidReply { stage: &'static str },
    /// The server refused or deferred.
    Rejected { stage: &'static str, reply_text: String },
    /// The TLS handshake failed.
    Tls(io::Error),
    /// TLS failed where plain text is not permitted, for this reason.
    NoPlainText { demand: &'static str, error: String },
    /// The server sent data before TLS started.
    InjectedReply,
    /// The message was recalled and must not leave.
    Recalled,
    /// The server is this service itself.
    OwnServer,
    /// The server does not meet a requirement.
    UnusableServer(&'static str),
}

impl SessionError {
    pub(crate) fn rejected(stage: &'static str, reply: &ServerReply) -> Self {
        Self::Rejected { stage, reply_text: reply.to_text() }
    }

    /// Returns whether a TLS handshake failed.
    pub(crate) fn is_handshake_failure(&self) -> bool {
        matches!(self, Self::Tls(_) | Self::TimedOut { stage: HANDSHAKE_STAGE })
    }

    /// Returns the error of failed TLS where plain text is not permitted. Silence and a broken connection remain, because
    /// they say nothing about TLS.
    pub(crate) fn without_plain_text(self, demand: &'static str) -> Self {
        let error = match &self {
            Self::Tls(error) => Some(handshake_text(error)),
            Self::Rejected { stage: STARTTLS_STAGE, reply_text } => {
                Some(format!("it replied to STARTTLS: {reply_text}"))
            }
            Self::InjectedReply => Some("it sent data before TLS started, which may be an attack".to_owned()),
            _ => None,
        };
        error.map_or(self, |error| Self::NoPlainText { demand, error })
    }

    /// Returns the text with this server name.
    pub(crate) fn describe(&self, server: &str) -> String {
        match self {
            Self::Connect(error) => format!("no connection to {server}: {error}"),
            Self::TimedOut { stage } => format!("{server} did not reply to {stage} in time"),
            Self::Broken { stage } => format!("the connection to {server} broke at {stage}"),
            Self::InvalidReply { stage } => format!("the reply of {server} to {stage} is not valid SMTP"),
            Self::Rejected { stage, reply_text } => format!("{server} replied to {stage}: {reply_text}"),
            Self::Tls(error) => {
                let error = handshake_text(error);
                format!("TLS with {server} failed, and the message is not sent in plain text: {error}")
            }
            Self::NoPlainText { demand, error } => {
                format!(
                    "TLS with {server} failed, and the message is not sent in plain text, because {demand}: {error}"
                )
            }
            Self::InjectedReply => format!("{server} sent data before TLS started, which may be an attack"),
            Self::Recalled => "the message is on hold: its inbox is paused, or an operator holds it".to_owned(),
            Self::OwnServer => format!("{server} is this service itself"),
            Self::UnusableServer(why) => format!("{server} {why}"),
        }
    }
}

/// Returns the text of a failed handshake. rustls shows only the type of an error of our own verifier.
fn handshake_text(error: &io::Error) -> String {
    match error.get_ref().and_then(|cause| cause.downcast_ref()) {
        Some(rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(cause)))) => cause.to_string(),
        _ => error.to_string(),
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe("the server"))
    }
}
