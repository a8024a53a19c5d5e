//! Spam filter.

use std::net::IpAddr;

use async_trait::async_trait;
use inboxd_mail::{EmailAddress, ParsedMail};

use crate::model::{Authentication, SpamReport};

/// A message to evaluate.
#[derive(Debug, Clone, Copy)]
pub struct SuspectMail<'a> {
    /// The address and HELO name of the client; `None` for internal messages.
    pub client: Option<(IpAddr, &'a str)>,
    /// The return path; `None` for the null sender.
    pub envelope_from: Option<&'a EmailAddress>,
    /// The recipients of the envelope.
    pub recipients: &'a [EmailAddress],
    /// The raw message, byte for byte.
    pub raw: &'a [u8],
    /// The parsed message.
    pub parsed: &'a ParsedMail,
    /// The authentication results; `None` for internal messages.
    pub authentication: Option<&'a Authentication>,
}

/// Evaluates messages for spam.
#[async_trait]
pub trait SpamFilter: Send + Sync {
    /// Evaluates a message within a bounded time; `None` selects the [built-in checks](crate::rules::spam::judge).
    async fn judge(&self, mail: SuspectMail<'_>) -> Option<SpamReport>;
}
