//! What came of each signature (RFC 6376, 8301, 8463).

use std::time::Duration;

use futures_util::future::join_all;
use inboxd_core::model::AuthResult;
use inboxd_core::ports::SignatureEvidence;
use mail_auth::common::cache::NoCache;
use mail_auth::common::crypto::Algorithm;
use mail_auth::common::verify::{DomainKey, VerifySignature as _};
use mail_auth::dkim::{DkimError, Signature};
use mail_auth::{AuthenticatedMessage, DkimOutput, DkimResult, Error, MessageAuthenticator, Txt};

use super::known::{Known, in_time};

/// How many signatures are looked at, the topmost first: each costs a question, and strangers write them.
const MOST: usize = 10;

/// The signatures of a mail.
pub(super) struct Signatures<'a> {
    /// What came of each, for the reader.
    pub(super) evidence: Vec<SignatureEvidence>,
    /// Those that hold and are taken, and those whose key could not be asked for.
    pub(super) open: Vec<DkimOutput<'a>>,
}

/// Keeps as many signatures as are looked at, and nothing in them that would ask further questions: neither for whom to
/// tell of failures (RFC 6651) nor for who may sign for others (RFC 6541).
pub(super) fn limit(message: &mut AuthenticatedMessage<'_>) {
    message.dkim_headers.truncate(MOST);
    for signature in &mut message.dkim_headers {
        signature.header.r = false;
        signature.header.atps = None;
    }
}

/// The keys of all signatures, asked for at the same time.
pub(super) async fn keys(
    verifier: &MessageAuthenticator,
    message: &AuthenticatedMessage<'_>,
    patience: Duration,
) -> Known {
    let names: Vec<String> = message.dkim_headers.iter().map(|signature| signature.header.domain_key()).collect();
    let questions = names.iter().map(|name| {
        let unkept = None::<&NoCache<Box<str>, Txt>>;
        in_time(patience, verifier.txt_lookup::<DomainKey>(name, unkept))
    });
    let answers = join_all(questions).await;
    let mut known = Known::default();
    for (name, answer) in names.iter().zip(answers) {
        known.add(name, answer.map_or_else(Txt::Error, Txt::DomainKey));
    }
    known
}

/// Verifies the signatures with these keys.
pub(super) async fn verify<'a>(
    verifier: &MessageAuthenticator,
    message: &'a AuthenticatedMessage<'a>,
    keys: &'a Known,
) -> Signatures<'a> {
    let mut evidence = Vec::new();
    let mut open = Vec::new();
    for output in verifier.verify_dkim(keys.with(message)).await {
        // The library tells of some that it cannot read, without their names; all of them are told of below.
        let Some(signature) = output.signature() else { continue };
        let result = judge(&output, signature);
        evidence.push(SignatureEvidence { result, domain: signature.d.clone(), selector: signature.s.clone() });
        if matches!(result, AuthResult::Pass | AuthResult::TempError) {
            open.push(output);
        }
    }
    let unread = message.errors.iter().filter(|field| field.name.trim_ascii().eq_ignore_ascii_case(b"DKIM-Signature"));
    for field in unread.take(MOST - evidence.len().min(MOST)) {
        // One that leaves out a part of the body vouches for what anybody added behind it (RFC 6376, section 8.2).
        let leaves_out = matches!(field.header, Error::Dkim(DkimError::SignatureLength));
        let result = if leaves_out { AuthResult::Policy } else { AuthResult::Neutral };
        evidence.push(SignatureEvidence { result, domain: String::new(), selector: String::new() });
    }
    Signatures { evidence, open }
}

fn judge(output: &DkimOutput<'_>, signature: &Signature) -> AuthResult {
    match output.result() {
        // It does not say who the mail is from (RFC 6376, section 6.1.1).
        _ if !signature.h.iter().any(|name| name.eq_ignore_ascii_case("From")) => AuthResult::PermError,
        // It holds, and anybody may have made it (RFC 8301, section 3.1).
        DkimResult::Pass if signature.a == Algorithm::RsaSha1 => AuthResult::Policy,
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
