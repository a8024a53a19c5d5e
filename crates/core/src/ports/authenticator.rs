//! Authentication of inbound messages: SPF, DKIM, DMARC and ARC.

use std::net::IpAddr;

use async_trait::async_trait;
use inboxd_mail::EmailAddress;

use crate::model::AuthResult;

/// A message as the SMTP client transmitted it.
#[derive(Debug, Clone, Copy)]
pub struct HandedMail<'a> {
    /// The address of the client.
    pub ip: IpAddr,
    /// The name in HELO or EHLO.
    pub helo: &'a str,
    /// The return path; `None` for the null sender.
    pub envelope_from: Option<&'a EmailAddress>,
    /// The raw message, byte for byte.
    pub raw: &'a [u8],
}

/// Result of SPF (RFC 7208).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpfEvidence {
    /// The result.
    pub result: AuthResult,
    /// The domain checked: that of the return path, or of HELO for the null sender.
    pub domain: String,
    /// Whether the HELO name was checked because the return path is null.
    pub of_helo: bool,
}

/// Result of one DKIM signature (RFC 6376).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureEvidence {
    /// The result.
    pub result: AuthResult,
    /// The signing domain, `d=`.
    pub domain: String,
    /// The selector, `s=`.
    pub selector: String,
}

/// Policy of the From domain for messages that fail DMARC (RFC 7489, section 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DmarcPolicy {
    /// No action.
    None,
    /// Quarantine the message.
    Quarantine,
    /// Reject the message.
    Reject,
    /// Unknown because DNS did not respond.
    Unanswered,
}

/// Result of DMARC (RFC 7489).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DmarcEvidence {
    /// The result: `None` without a DMARC record or a From domain. A message with several From domains fails.
    pub result: AuthResult,
    /// The policy that applies to this domain; the subdomain policy if it is a subdomain.
    pub policy: DmarcPolicy,
    /// The domain of From; `None` when From has no domain or several.
    pub from_domain: Option<String>,
    /// The authenticated domain aligned with the From domain.
    pub aligned_domain: Option<String>,
}

/// All authentication results of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The SPF result.
    pub spf: SpfEvidence,
    /// The DKIM results, in the order of the signatures.
    pub dkim: Vec<SignatureEvidence>,
    /// The DMARC result.
    pub dmarc: DmarcEvidence,
    /// The ARC result; `None` without a chain.
    pub arc: Option<AuthResult>,
}

/// Authenticates inbound messages.
#[async_trait]
pub trait Authenticator: Send + Sync {
    /// Evaluates SPF, DKIM, DMARC and ARC within a bounded time. A DNS failure yields [`AuthResult::TempError`], which
    /// counts neither for nor against the message.
    async fn authenticate(&self, mail: HandedMail<'_>) -> Evidence;
}
