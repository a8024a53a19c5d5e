//! ARC chain validation (RFC 8617).

use std::time::Duration;

use futures_util::FutureExt as _;
use inboxd_core::model::AuthResult;
use mail_auth::common::verify::VerifySignature as _;
use mail_auth::{AuthenticatedMessage, DkimResult, MessageAuthenticator};

use super::UNANSWERED;
use super::bounds::{has_oversized_header, has_too_many_names, is_oversized_value};
use super::prefetched::{PrefetchedTxt, keys_at};

/// Number of ARC sets in a chain (RFC 8617, section 4.2.1).
const MAX_ARC_SETS: usize = 50;

/// Queries the keys of the whole chain concurrently. Returns none when the chain is refused unverified.
pub(super) async fn keys(
    verifier: &MessageAuthenticator,
    message: &AuthenticatedMessage<'_>,
    time_limit: Duration,
) -> PrefetchedTxt {
    if !has_chain(message) || message.has_arc_errors || is_refused(message) {
        return PrefetchedTxt::default();
    }
    let seals = message.as_headers.iter().map(|seal| seal.header.domain_key());
    let signature = message.ams_headers.last().map(|signature| signature.header.domain_key());
    keys_at(verifier, seals.chain(signature).collect(), time_limit).await
}

/// Verifies the chain. Returns `None` without a chain.
pub(super) fn verify(
    verifier: &MessageAuthenticator,
    message: &AuthenticatedMessage<'_>,
    keys: &PrefetchedTxt,
) -> Option<AuthResult> {
    if !has_chain(message) {
        return None;
    }
    if is_refused(message) {
        return Some(AuthResult::Fail);
    }
    // All keys are prefetched, so the future completes at once.
    let Some(output) = verifier.verify_arc(keys.with(message)).now_or_never() else { return Some(UNANSWERED) };
    Some(match output.result() {
        DkimResult::Pass => AuthResult::Pass,
        DkimResult::TempError(_) => AuthResult::TempError,
        DkimResult::None => AuthResult::None,
        DkimResult::Neutral(_) | DkimResult::Fail(_) | DkimResult::PermError(_) => AuthResult::Fail,
    })
}

fn has_chain(message: &AuthenticatedMessage<'_>) -> bool {
    !message.as_headers.is_empty() || !message.ams_headers.is_empty() || message.has_arc_errors
}

/// Returns whether the chain exceeds the limits or lacks a header field.
fn is_refused(message: &AuthenticatedMessage<'_>) -> bool {
    let (seals, signatures) = (&message.as_headers, &message.ams_headers);
    let is_whole = seals.len() == signatures.len() && seals.len() == message.aar_headers.len();
    let mut values = seals.iter().map(|seal| seal.value);
    let mut results = message.aar_headers.iter().map(|results| results.value);
    has_oversized_header(message)
        || (!message.has_arc_errors && !is_whole)
        || seals.len() > MAX_ARC_SETS
        || values.any(is_oversized_value)
        || results.any(is_oversized_value)
        || signatures
            .iter()
            .any(|signature| is_oversized_value(signature.value) || has_too_many_names(&signature.header.h))
}
