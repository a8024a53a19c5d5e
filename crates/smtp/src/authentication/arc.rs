//! What those who handed the mail on say of it (RFC 8617).

use std::time::Duration;

use futures_util::FutureExt as _;
use inboxd_core::model::AuthResult;
use mail_auth::common::verify::VerifySignature as _;
use mail_auth::{AuthenticatedMessage, DkimResult, MessageAuthenticator};

use super::SILENCE;
use super::bounds::{is_crowded, is_long, is_much};
use super::known::{Known, keys_at};

/// The longest chain (section 4.2.1).
const MOST_SETS: usize = 50;

/// The keys of the whole chain, asked for at the same time; none where it is refused unseen.
pub(super) async fn keys(
    verifier: &MessageAuthenticator,
    message: &AuthenticatedMessage<'_>,
    patience: Duration,
) -> Known {
    if !has_chain(message) || message.has_arc_errors || is_refused(message) {
        return Known::default();
    }
    let seals = message.as_headers.iter().map(|seal| seal.header.domain_key());
    let signature = message.ams_headers.last().map(|signature| signature.header.domain_key());
    keys_at(verifier, seals.chain(signature).collect(), patience).await
}

/// Whether the chain holds; `None` without one.
pub(super) fn verify(
    verifier: &MessageAuthenticator,
    message: &AuthenticatedMessage<'_>,
    keys: &Known,
) -> Option<AuthResult> {
    if !has_chain(message) {
        return None;
    }
    if is_refused(message) {
        return Some(AuthResult::Fail);
    }
    // All keys are at hand: there is nothing to wait for.
    let Some(output) = verifier.verify_arc(keys.with(message)).now_or_never() else { return Some(SILENCE) };
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

/// Whether there is more of it than is looked at, or a part is missing.
fn is_refused(message: &AuthenticatedMessage<'_>) -> bool {
    let (seals, signatures) = (&message.as_headers, &message.ams_headers);
    let is_whole = seals.len() == signatures.len() && seals.len() == message.aar_headers.len();
    let mut values = seals.iter().map(|seal| seal.value);
    let mut results = message.aar_headers.iter().map(|results| results.value);
    is_crowded(message)
        || (!message.has_arc_errors && !is_whole)
        || seals.len() > MOST_SETS
        || values.any(is_long)
        || results.any(is_long)
        || signatures.iter().any(|signature| is_long(signature.value) || is_much(&signature.header.h))
}
