//! Authentication without DNS, for fuzzing and tests.

use std::net::Ipv4Addr;
use std::time::Duration;

use inboxd_core::model::AuthResult;
use inboxd_core::ports::SignatureEvidence;
use inboxd_core::rules::domains::dmarc::is_dmarc;
use inboxd_mail::is_valid_spf_record;
use mail_auth::common::parse::TxtRecordParser as _;
use mail_auth::common::verify::{DomainKey, VerifySignature as _};
use mail_auth::{MessageAuthenticator, Txt};

use super::prefetched::PrefetchedTxt;
use super::{arc, dkim, dmarc, read};
use crate::dns::{DnsError, caching_resolver};

/// Results of a message when every key name has the same record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfflineResult {
    /// Author domain, if there is one.
    pub author: Option<String>,
    /// Results of the DKIM signatures.
    pub dkim: Vec<SignatureEvidence>,
    /// Result of the ARC chain.
    pub arc: Option<AuthResult>,
}

/// Verifies a message as [`super::MailAuthenticator`] does. `key` is the text of every key record.
///
/// # Errors
/// [`DnsError`] when no resolver can be created. No query is sent.
pub fn verify_with(raw: &[u8], key: &str) -> Result<OfflineResult, DnsError> {
    let verifier = MessageAuthenticator(caching_resolver(Some((Ipv4Addr::LOCALHOST, 53).into()), Duration::ZERO)?);
    let (author, message, skipped) = read(raw);
    let signatures = message.dkim_headers.iter().map(|field| field.header.domain_key());
    let arc_seals = message.as_headers.iter().map(|field| field.header.domain_key());
    let arc_signatures = message.ams_headers.iter().map(|field| field.header.domain_key());
    let mut keys = PrefetchedTxt::default();
    for name in signatures.chain(arc_seals).chain(arc_signatures) {
        keys.add(&name, DomainKey::parse(key.as_bytes()).map_or_else(Txt::Error, Txt::from));
    }
    let arc = arc::verify(&verifier, &message, &keys);
    let dkim = dkim::verify(&verifier, &message, &keys, skipped).evidence;
    Ok(OfflineResult { author: author.domain().map(str::to_owned), dkim, arc })
}

/// Returns whether the text is a valid DMARC policy, or a valid SPF record.
#[must_use]
pub fn is_record(text: &str) -> bool {
    if is_dmarc(text) { dmarc::policy(&[text.to_owned()]).is_ok() } else { is_valid_spf_record(text) }
}
