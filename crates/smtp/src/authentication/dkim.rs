//! DKIM signature verification (RFC 6376, 8301, 8463).

use std::time::Duration;

use futures_util::FutureExt as _;
use inboxd_core::model::AuthResult;
use inboxd_core::ports::SignatureEvidence;
use mail_auth::common::crypto::Algorithm;
use mail_auth::common::verify::VerifySignature as _;
use mail_auth::dkim::{DkimError, Signature};
use mail_auth::{AuthenticatedMessage, DkimOutput, DkimResult, Error, MessageAuthenticator};

use super::bounds::{dns_name, has_oversized_header, has_too_many_names, is_oversized_value};
use super::duplicate_headers::DuplicateHeaders;
use super::prefetched::{PrefetchedTxt, keys_at};

/// Number of signatures that are verified, topmost first. Each costs a DNS query, and senders choose their number.
const MAX_SIGNATURES: usize = 10;

/// Results of all signatures of a message.
pub(super) struct SignatureResults<'a> {
    /// Result of each signature for the reader.
    pub(super) evidence: Vec<SignatureEvidence>,
    /// Signatures for DMARC: those that pass, and those with a temporary failure of the key lookup.
    pub(super) usable: Vec<DkimOutput<'a>>,
}

/// Removes the signatures beyond the limits and returns their results.
///
/// It also clears the options that would cause further DNS queries: failure reports (RFC 6651) and third-party
/// signatures (RFC 6541).
pub(super) fn apply_limits(message: &mut AuthenticatedMessage<'_>) -> Vec<SignatureEvidence> {
    let has_oversized_header = has_oversized_header(message);
    let mut skipped = Vec::new();
    message.dkim_headers.truncate(MAX_SIGNATURES);
    message.dkim_headers.retain_mut(|field| {
        let signature = &mut field.header;
        if has_oversized_header || is_oversized_value(field.value) || has_too_many_names(&signature.h) {
            skipped.push(evidence(AuthResult::PermError, signature));
            return false;
        }
        signature.r = false;
        signature.atps = None;
        true
    });
    skipped
}

/// Queries the keys of all signatures concurrently.
pub(super) async fn keys(
    verifier: &MessageAuthenticator,
    message: &AuthenticatedMessage<'_>,
    time_limit: Duration,
) -> PrefetchedTxt {
    let names = message.dkim_headers.iter().map(|signature| signature.header.domain_key()).collect();
    keys_at(verifier, names, time_limit).await
}

/// Verifies the signatures with these keys. `skipped` holds the results of the removed ones.
pub(super) fn verify<'a>(
    verifier: &MessageAuthenticator,
    message: &'a AuthenticatedMessage<'a>,
    keys: &'a PrefetchedTxt,
    skipped: Vec<SignatureEvidence>,
) -> SignatureResults<'a> {
    let duplicates = DuplicateHeaders::of(message);
    let mut found = Vec::new();
    let mut usable = Vec::new();
    // All keys are prefetched, so the future completes at once.
    for output in verifier.verify_dkim(keys.with(message)).now_or_never().unwrap_or_default() {
        // The library reports some unreadable signatures without their names. The loop below covers all of them.
        let Some(signature) = output.signature() else { continue };
        let result = classify(&output, signature, &duplicates);
        found.push(evidence(result, signature));
        if matches!(result, AuthResult::Pass | AuthResult::TempError) {
            usable.push(output);
        }
    }
    found.extend(skipped);
    let unread = message.errors.iter().filter(|field| field.name.trim_ascii().eq_ignore_ascii_case(b"DKIM-Signature"));
    for field in unread.take(MAX_SIGNATURES - found.len().min(MAX_SIGNATURES)) {
        // A signature of a part of the body also passes for content that anyone appended (RFC 6376, section 8.2).
        let leaves_out = matches!(field.header, Error::Dkim(DkimError::SignatureLength));
        let result = if leaves_out { AuthResult::Policy } else { AuthResult::Neutral };
        found.push(SignatureEvidence { result, domain: String::new(), selector: String::new() });
    }
    SignatureResults { evidence: found, usable }
}

fn evidence(result: AuthResult, signature: &Signature) -> SignatureEvidence {
    SignatureEvidence { result, domain: dns_name(&signature.d), selector: dns_name(&signature.s) }
}

fn classify(output: &DkimOutput<'_>, signature: &Signature, duplicates: &DuplicateHeaders) -> AuthResult {
    match output.result() {
        // The signature does not cover From (RFC 6376, section 6.1.1).
        _ if !signature.h.iter().any(|name| name.eq_ignore_ascii_case("From")) => AuthResult::PermError,
        // The signature is valid, but SHA-1 is forgeable (RFC 8301, section 3.1).
        DkimResult::Pass if signature.a == Algorithm::RsaSha1 => AuthResult::Policy,
        // The signature is valid for other fields than the displayed ones.
        DkimResult::Pass if duplicates.has_uncovered(&signature.h) => AuthResult::Policy,
        DkimResult::Pass => AuthResult::Pass,
        DkimResult::TempError(_) => AuthResult::TempError,
        DkimResult::PermError(_) => AuthResult::PermError,
        DkimResult::Fail(_) => AuthResult::Fail,
        DkimResult::Neutral(Error::Dkim(DkimError::FailedBodyHashMatch | DkimError::SignatureExpired)) => {
            AuthResult::Fail
        }
        DkimResult::Neutral(_) => AuthResult::Neutral,
        DkimResult::None => AuthResult::None,
    }
}
