//! Authentication of received messages: SPF (RFC 7208) with `inboxd_mail`, DKIM, DMARC and ARC (RFC 6376, 9989, 8617) with
//! `mail-auth`.
//!
//! ```text
//! blocking_pool.rs      bounded parallelism for hashing large messages
//! bounds.rs             limits of header content that is verified
//! author.rs             author domain, from the From field
//! prefetched.rs         TXT records that are queried before verification
//! spf.rs                SPF evaluation
//! dkim.rs               DKIM signature verification
//! duplicate_headers.rs  duplicates of header fields that may occur once
//! arc.rs                ARC chain validation
//! offline.rs            authentication without DNS, for fuzzing
//! dmarc.rs              DMARC evaluation
//! ```
//!
//! Senders choose the names that are queried, and their servers may be slow or silent. All queries of a message run
//! concurrently within one short limit, so a silent server of one signature cannot delay the keys of another.

mod arc;
mod author;
mod blocking_pool;
mod bounds;
mod dkim;
mod dmarc;
mod duplicate_headers;
pub mod offline;
mod prefetched;
mod spf;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::model::AuthResult;
use inboxd_core::ports::{Authenticator, Evidence, HandedMail, SignatureEvidence};
use mail_auth::{AuthenticatedMessage, MessageAuthenticator};

use self::author::MessageAuthor;
use self::blocking_pool::BlockingPool;
use crate::dns::{DnsError, DnsResolver, caching_resolver};

/// Limit of the cache time of a DNS response, so a withdrawn key is noticed soon.
const MAX_CACHE_TTL: Duration = Duration::from_mins(15);

/// Limit for the DNS queries of SPF, signatures and policies. Together with [`ALIGNMENT_TIMEOUT`] it bounds the delay
/// of a message.
const LOOKUP_TIMEOUT: Duration = Duration::from_millis(3500);
/// Limit for the DNS queries of the DMARC evaluation itself.
const ALIGNMENT_TIMEOUT: Duration = Duration::from_millis(1500);

/// Authenticator that queries one resolver, or those of the system, with a response cache.
pub struct MailAuthenticator {
    verifier: MessageAuthenticator,
    /// Resolver of the verifier.
    resolver: DnsResolver,
    lookup_timeout: Duration,
    blocking_pool: BlockingPool,
}

impl MailAuthenticator {
    /// Returns an authenticator for the resolver at an address, or those of the system.
    ///
    /// # Errors
    /// [`DnsError`] when the resolver configuration is not valid. No query is sent.
    pub fn new(resolver: Option<SocketAddr>) -> Result<Self, DnsError> {
        let verifier = MessageAuthenticator(caching_resolver(resolver, MAX_CACHE_TTL)?);
        let resolver = DnsResolver::sharing(verifier.0.clone());
        Ok(Self { verifier, resolver, lookup_timeout: LOOKUP_TIMEOUT, blocking_pool: BlockingPool::new() })
    }
}

#[async_trait]
impl Authenticator for MailAuthenticator {
    async fn authenticate(&self, mail: HandedMail<'_>) -> Evidence {
        let (author, message, skipped) = self.blocking_pool.run(mail.raw.len(), || read(mail.raw)).await;
        let (spf, keys, policies, chain_keys) = tokio::join!(
            spf::evaluate(&self.resolver, &mail, self.lookup_timeout),
            dkim::keys(&self.verifier, &message, self.lookup_timeout),
            dmarc::policies(&self.verifier, author.domain(), self.lookup_timeout),
            arc::keys(&self.verifier, &message, self.lookup_timeout),
        );
        let verify = || {
            let signatures = dkim::verify(&self.verifier, &message, &keys, skipped);
            (signatures, arc::verify(&self.verifier, &message, &chain_keys))
        };
        let (signatures, arc) = self.blocking_pool.run(mail.raw.len(), verify).await;
        let dmarc = dmarc::evaluate(&self.verifier, &message, &spf, &signatures, &policies, ALIGNMENT_TIMEOUT).await;
        Evidence { spf, dkim: signatures.evidence, dmarc: dmarc.into_evidence(author), arc }
    }
}

/// Parses a message and returns its author, its verifiable form, and the results of signatures beyond the limits.
fn read(raw: &[u8]) -> (MessageAuthor, AuthenticatedMessage<'_>, Vec<SignatureEvidence>) {
    // Bytes that are no message have no signatures and no author.
    let mut message = AuthenticatedMessage::parse(raw).unwrap_or_default();
    let author = author::author(raw, &message);
    message.from = author.domain().iter().map(|domain| format!("author@{domain}")).collect();
    let skipped = dkim::apply_limits(&mut message);
    (author, message, skipped)
}

/// Result when DNS did not respond in time.
const UNANSWERED: AuthResult = AuthResult::TempError;
