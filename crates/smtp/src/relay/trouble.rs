//! What can go wrong with a session. The texts are shown as the reason why a mail is deferred.

use super::reply::Reply;

/// Why a session cannot go on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    #[error("no connection to the relay: {0}")]
    Connect(std::io::Error),
    #[error("the relay did not answer {what} in time")]
    TimedOut { what: &'static str },
    #[error("the connection to the relay broke at {what}")]
    Broken { what: &'static str },
    #[error("what the relay answered to {what} is not SMTP")]
    Garbled { what: &'static str },
    #[error("the relay answered {what} with: {words}")]
    Answered { what: &'static str, words: String },
    #[error("TLS with the relay failed, and the mail is not sent in the clear: {0}")]
    Tls(std::io::Error),
    #[error("the relay spoke before TLS was on: someone may stand in between")]
    Injected,
    #[error(
        "the relay offers no TLS, and the password is not sent in the clear: use smtps:// or a relay with STARTTLS"
    )]
    PasswordInTheClear,
    #[error("the relay offers neither AUTH PLAIN nor AUTH LOGIN: check its address, or leave out user and password")]
    NoMechanism,
}

impl Trouble {
    pub(super) fn answered(what: &'static str, reply: &Reply) -> Self {
        Self::Answered { what, words: reply.words() }
    }
}
