//! What can go wrong with a session. The texts are shown as the reason why a mail is deferred.

use std::fmt;

use super::reply::Reply;

/// What is waited for in a TLS handshake.
pub(crate) const HANDSHAKE: &str = "the TLS handshake";

/// Why a session cannot go on.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// There is no connection.
    Connect(std::io::Error),
    /// Silence.
    TimedOut { what: &'static str },
    /// The connection is gone.
    Broken { what: &'static str },
    /// What came is not SMTP.
    Garbled { what: &'static str },
    /// The server said that it will not, or not now.
    Answered { what: &'static str, words: String },
    /// The handshake failed.
    Tls(std::io::Error),
    /// Something was said before TLS was on.
    Injected,
    /// The mail must not leave any more.
    Recalled,
    /// It is this very service.
    Ourselves,
    /// The server is not one that mail may be handed to, for this reason.
    Unusable(&'static str),
}

impl Trouble {
    pub(crate) fn answered(what: &'static str, reply: &Reply) -> Self {
        Self::Answered { what, words: reply.words() }
    }

    /// Whether a TLS handshake came to nothing.
    pub(crate) fn is_of_handshake(&self) -> bool {
        matches!(self, Self::Tls(_) | Self::TimedOut { what: HANDSHAKE })
    }

    /// What went wrong with a server, which is called as given.
    pub(crate) fn with(&self, server: &str) -> String {
        match self {
            Self::Connect(error) => format!("no connection to {server}: {error}"),
            Self::TimedOut { what } => format!("{server} did not answer {what} in time"),
            Self::Broken { what } => format!("the connection to {server} broke at {what}"),
            Self::Garbled { what } => format!("what {server} answered to {what} is not SMTP"),
            Self::Answered { what, words } => format!("{server} answered {what} with: {words}"),
            Self::Tls(error) => format!("TLS with {server} failed, and the mail is not sent in the clear: {error}"),
            Self::Injected => format!("{server} spoke before TLS was on: someone may stand in between"),
            Self::Recalled => "the mail is held back: its inbox is paused, or an operator holds it".to_owned(),
            Self::Ourselves => format!("{server} is this service itself"),
            Self::Unusable(why) => format!("{server} {why}"),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with("the server"))
    }
}
