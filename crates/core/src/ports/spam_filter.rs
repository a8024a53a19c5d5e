//! Judging whether a mail is spam.

use std::net::IpAddr;

use async_trait::async_trait;
use inboxd_mail::{EmailAddress, ParsedMail};

use crate::model::{Authentication, SpamReport};

/// A mail to judge.
#[derive(Debug, Clone, Copy)]
pub struct SuspectMail<'a> {
    /// The client's address and the name it gave; `None` for mail from within.
    pub client: Option<(IpAddr, &'a str)>,
    /// The return path; `None` for the null sender.
    pub envelope_from: Option<&'a EmailAddress>,
    /// The recipients of the envelope.
    pub recipients: &'a [EmailAddress],
    /// The mail, octet for octet.
    pub raw: &'a [u8],
    /// The mail as it was read.
    pub parsed: &'a ParsedMail,
    /// Who vouches for it; `None` for mail from within.
    pub authentication: Option<&'a Authentication>,
}

/// Judges whether mail is spam.
#[async_trait]
pub trait SpamFilter: Send + Sync {
    /// Judges a mail, within a bounded time; `None` leaves it to the [built-in checks](crate::rules::spam::judge).
    async fn judge(&self, mail: SuspectMail<'_>) -> Option<SpamReport>;
}
