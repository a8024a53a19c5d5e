//! The readers of what strangers write, without asking anybody: for those who try what harm it can do.

use std::net::Ipv4Addr;
use std::time::Duration;

use inboxd_core::model::AuthResult;
use inboxd_core::ports::SignatureEvidence;
use inboxd_core::rules::domains::dmarc::is_dmarc;
use mail_auth::common::parse::TxtRecordParser as _;
use mail_auth::common::verify::{DomainKey, VerifySignature as _};
use mail_auth::{MessageAuthenticator, Txt};

use super::known::Known;
use super::{arc, dkim, dmarc, read, spf};
use crate::dns::{DnsError, caching};

/// What is said of a mail when the same record stands at the name of every key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The domain of its author, where it has one.
    pub author: Option<String>,
    /// Of its signatures.
    pub dkim: Vec<SignatureEvidence>,
    /// Of those who handed it on.
    pub arc: Option<AuthResult>,
}

/// Verifies a mail as [`super::MailAuthenticator`] does; `key` is the text of the record.
///
/// # Errors
/// When no resolver can be made. None is asked.
pub fn verify_with(raw: &[u8], key: &str) -> Result<Said, DnsError> {
    let verifier = MessageAuthenticator(caching(Some((Ipv4Addr::LOCALHOST, 53).into()), Duration::ZERO)?);
    let (author, message, left_out) = read(raw);
    let signatures = message.dkim_headers.iter().map(|field| field.header.domain_key());
    let seals = message.as_headers.iter().map(|field| field.header.domain_key());
    let others = message.ams_headers.iter().map(|field| field.header.domain_key());
    let mut keys = Known::default();
    for name in signatures.chain(seals).chain(others) {
        keys.add(&name, DomainKey::parse(key.as_bytes()).map_or_else(Txt::Error, Txt::from));
    }
    let arc = arc::verify(&verifier, &message, &keys);
    let dkim = dkim::verify(&verifier, &message, &keys, left_out).evidence;
    Ok(Said { author: author.domain().map(str::to_owned), dkim, arc })
}

/// Whether the text of a record is taken: as one of SPF whose terms there are, or as a policy of DMARC.
#[must_use]
pub fn is_record(text: &str) -> bool {
    if is_dmarc(text) { dmarc::policy(&[text.to_owned()]).is_ok() } else { spf::has_known_terms(text) }
}
