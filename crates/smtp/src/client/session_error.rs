//! Session errors and their texts, which are the reasons of deferrals.

use std::fmt;

use super::reply::ServerReply;

/// Stage of a TLS handshake.
pub(crate) const HANDSHAKE_STAGE: &str = "the TLS handshake";

/// Reason for which a session cannot continue.
#[derive(Debug)]
pub(crate) enum SessionError {
    /// The TCP connection failed.
    Connect(std::io::Error),
    /// The server did not respond in time.
    TimedOut { stage: &'static str },
    /// The connection broke.
    Broken { stage: &'static str },
    /// The reply is not valid SMTP.
    InvalidReply { stage: &'static str },
    /// The server refused or deferred.
    Rejected { stage: &'static str, reply_text: String },
    /// The TLS handshake failed.
    Tls(std::io::Error),
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

    /// Returns the text with this server name.
    pub(crate) fn describe(&self, server: &str) -> String {
        match self {
            Self::Connect(error) => format!("no connection to {server}: {error}"),
            Self::TimedOut { stage } => format!("{server} did not reply to {stage} in time"),
            Self::Broken { stage } => format!("the connection to {server} broke at {stage}"),
            Self::InvalidReply { stage } => format!("the reply of {server} to {stage} is not valid SMTP"),
            Self::Rejected { stage, reply_text } => format!("{server} replied to {stage}: {reply_text}"),
            Self::Tls(error) => format!("TLS with {server} failed, and the message is not sent in plain text: {error}"),
            Self::InjectedReply => format!("{server} sent data before TLS started, which may be an attack"),
            Self::Recalled => "the message is on hold: its inbox is paused, or an operator holds it".to_owned(),
            Self::OwnServer => format!("{server} is this service itself"),
            Self::UnusableServer(why) => format!("{server} {why}"),
        }
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe("the server"))
    }
}
