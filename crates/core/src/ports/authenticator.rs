//! Finding out who vouches for a mail.

use std::net::IpAddr;

use async_trait::async_trait;
use inboxd_mail::EmailAddress;

use crate::model::AuthResult;

/// A mail as a client handed it over.
#[derive(Debug, Clone, Copy)]
pub struct HandedMail<'a> {
    /// The client.
    pub ip: IpAddr,
    /// The name it gave itself.
    pub helo: &'a str,
    /// The return path; `None` for the null sender.
    pub envelope_from: Option<&'a EmailAddress>,
    /// The mail, octet for octet.
    pub raw: &'a [u8],
}

/// What SPF said (RFC 7208).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpfEvidence {
    /// The result.
    pub result: AuthResult,
    /// The domain that was asked: that of the return path, or of HELO for the null sender.
    pub domain: String,
    /// Whether the name in HELO was asked for, since there is no return path.
    pub of_helo: bool,
}

/// What came of one signature (RFC 6376).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureEvidence {
    /// The result.
    pub result: AuthResult,
    /// Who signed: `d=`.
    pub domain: String,
    /// With which key: `s=`.
    pub selector: String,
}

/// What the domain of From wants done with mail that nobody vouches for (RFC 7489, section 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DmarcPolicy {
    /// Nothing.
    None,
    /// That it is put aside.
    Quarantine,
    /// That it is refused.
    Reject,
    /// Nobody knows: DNS did not answer.
    Unanswered,
}

/// What DMARC said (RFC 7489).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DmarcEvidence {
    /// The result; `None` where the domain has no record, or From names none. A mail of several has failed.
    pub result: AuthResult,
    /// The policy for this very domain: that of subdomains where it is one.
    pub policy: DmarcPolicy,
    /// The domain of From; none where it names none or several.
    pub from_domain: Option<String>,
    /// The domain that a passing method speaks for, aligned with that of From.
    pub aligned_domain: Option<String>,
}

/// Everything that was found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// SPF.
    pub spf: SpfEvidence,
    /// The signatures, in their order.
    pub dkim: Vec<SignatureEvidence>,
    /// DMARC.
    pub dmarc: DmarcEvidence,
    /// ARC; `None` without a chain.
    pub arc: Option<AuthResult>,
}

/// Finds out who vouches for a mail.
#[async_trait]
pub trait Authenticator: Send + Sync {
    /// Asks DNS, within a bounded time. What DNS does not answer is [`AuthResult::TempError`]: silence speaks neither for
    /// nor against a mail.
    async fn authenticate(&self, mail: HandedMail<'_>) -> Evidence;
}
