//! What came of each signature (RFC 6376, 8301, 8463).

use std::time::Duration;

use futures_util::FutureExt as _;
use inboxd_core::model::AuthResult;
use inboxd_core::ports::SignatureEvidence;
use mail_auth::common::crypto::Algorithm;
use mail_auth::common::verify::VerifySignature as _;
use mail_auth::dkim::{DkimError, Signature};
use mail_auth::{AuthenticatedMessage, DkimOutput, DkimResult, Error, MessageAuthenticator};

use super::bounds::{dns_name, is_crowded, is_long, is_much};
use super::known::{Known, keys_at};
use super::singular::Suspects;

/// How many signatures are looked at, the topmost first: each costs a question, and strangers write them.
const MOST: usize = 10;

/// The signatures of a mail.
pub(super) struct Signatures<'a> {
    /// What came of each, for the reader.
    pub(super) evidence: Vec<SignatureEvidence>,
    /// Those that hold and are taken, and those whose key could not be asked for.
    pub(super) open: Vec<DkimOutput<'a>>,
}

/// Keeps the signatures that are looked at, and nothing in them that would ask further questions: neither for whom to
/// tell of failures (RFC 6651) nor for who may sign for others (RFC 6541). Gives what is said of those beyond bounds.
pub(super) fn limit(message: &mut AuthenticatedMessage<'_>) -> Vec<SignatureEvidence> {
    let is_crowded = is_crowded(message);
    let mut left_out = Vec::new();
    message.dkim_headers.truncate(MOST);
    message.dkim_headers.retain_mut(|field| {
        let signature = &mut field.header;
        if is_crowded || is_long(field.value) || is_much(&signature.h) {
            left_out.push(evidence(AuthResult::PermError, signature));
            return false;
        }
        signature.r = false;
        signature.atps = None;
        true
    });
    left_out
}

/// The keys of all signatures, asked for at the same time.
pub(super) async fn keys(
    verifier: &MessageAuthenticator,
    message: &AuthenticatedMessage<'_>,
    patience: Duration,
) -> Known {
    let names = message.dkim_headers.iter().map(|signature| signature.header.domain_key()).collect();
    keys_at(verifier, names, patience).await
}

/// Verifies the signatures with these keys. `left_out` are those that are not looked at.
pub(super) fn verify<'a>(
    verifier: &MessageAuthenticator,
    message: &'a AuthenticatedMessage<'a>,
    keys: &'a Known,
    left_out: Vec<SignatureEvidence>,
) -> Signatures<'a> {
    let suspects = Suspects::of(message);
    let mut found = Vec::new();
    let mut open = Vec::new();
    // All keys are at hand: there is nothing to wait for.
    for output in verifier.verify_dkim(keys.with(message)).now_or_never().unwrap_or_default() {
        // The library tells of some that it cannot read, without their names; all of them are told of below.
        let Some(signature) = output.signature() else { continue };
        let result = judge(&output, signature, &suspects);
        found.push(evidence(result, signature));
        if matches!(result, AuthResult::Pass | AuthResult::TempError) {
            open.push(output);
        }
    }
    found.extend(left_out);
    let unread = message.errors.iter().filter(|field| field.name.trim_ascii().eq_ignore_ascii_case(b"DKIM-Signature"));
    for field in unread.take(MOST - found.len().min(MOST)) {
        // One that leaves out a part of the body vouches for what anybody added behind it (RFC 6376, section 8.2).
        let leaves_out = matches!(field.header, Error::Dkim(DkimError::SignatureLength));
        let result = if leaves_out { AuthResult::Policy } else { AuthResult::Neutral };
        found.push(SignatureEvidence { result, domain: String::new(), selector: String::new() });
    }
    Signatures { evidence: found, open }
}

fn evidence(result: AuthResult, signature: &Signature) -> SignatureEvidence {
    SignatureEvidence { result, domain: dns_name(&signature.d), selector: dns_name(&signature.s) }
}

fn judge(output: &DkimOutput<'_>, signature: &Signature, suspects: &Suspects) -> AuthResult {
    match output.result() {
        // It does not say who the mail is from (RFC 6376, section 6.1.1).
        _ if !signature.h.iter().any(|name| name.eq_ignore_ascii_case("From")) => AuthResult::PermError,
        // It holds, and anybody may have made it (RFC 8301, section 3.1).
        DkimResult::Pass if signature.a == Algorithm::RsaSha1 => AuthResult::Policy,
        // It holds for other fields than those that are shown.
        DkimResult::Pass if suspects.evade(&signature.h) => AuthResult::Policy,
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
