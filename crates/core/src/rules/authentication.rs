//! What follows from who vouches for a mail: its label, its field and its header (`wire.md`, section 5).

use crate::model::{AuthResult, Authentication};
use crate::ports::{DmarcPolicy, Evidence, SignatureEvidence};

/// The longest name of DNS, in octets.
const LONGEST_NAME: usize = 255;

/// The verdict that is shown with the message.
#[must_use]
pub fn verdict(evidence: &Evidence) -> Authentication {
    let dmarc = evidence.dmarc.result;
    Authentication {
        spf: evidence.spf.result,
        dkim: best(&evidence.dkim),
        dmarc,
        aligned_domain: evidence.dmarc.aligned_domain.clone().filter(|_| dmarc == AuthResult::Pass),
        arc: evidence.arc,
    }
}

/// Whether authentication failed: DMARC fails under a policy of quarantine or reject; or DMARC does not pass and SPF is
/// `fail`; or DMARC does not pass and there are signatures of which none verifies. A mail that says it is from several
/// fails DMARC whatever anybody's policy is. A sender whose DNS does not answer has not failed: what it wants is unknown.
/// Where DNS gave the policy and not a key, DMARC may still pass, and only the refusal of SPF counts: who signs is for
/// strangers to say, and so is whom they make us ask.
#[must_use]
pub fn has_failed(evidence: &Evidence) -> bool {
    let dmarc = &evidence.dmarc;
    if dmarc.result == AuthResult::Pass {
        return false;
    }
    if dmarc.result == AuthResult::TempError {
        return dmarc.policy != DmarcPolicy::Unanswered && evidence.spf.result == AuthResult::Fail;
    }
    let against_policy = dmarc.result == AuthResult::Fail
        && (dmarc.from_domain.is_none() || matches!(dmarc.policy, DmarcPolicy::Quarantine | DmarcPolicy::Reject));
    against_policy || evidence.spf.result == AuthResult::Fail || none_verifies(&evidence.dkim)
}

/// Whether there are signatures, and none of them can be good: one whose key could not be asked for may be.
fn none_verifies(signatures: &[SignatureEvidence]) -> bool {
    !signatures.is_empty()
        && !signatures.iter().any(|signature| matches!(signature.result, AuthResult::Pass | AuthResult::TempError))
}

/// The result for all signatures together: one that holds is enough, and what could not be asked is still open.
fn best(signatures: &[SignatureEvidence]) -> AuthResult {
    const ORDER: [AuthResult; 6] = [
        AuthResult::Pass,
        AuthResult::TempError,
        AuthResult::Policy,
        AuthResult::Fail,
        AuthResult::PermError,
        AuthResult::Neutral,
    ];
    let has = |result: &AuthResult| signatures.iter().any(|signature| signature.result == *result);
    ORDER.into_iter().find(has).unwrap_or(AuthResult::None)
}

/// The value of the field `Authentication-Results` (RFC 8601). `host` is the name of this service.
#[must_use]
pub fn results_field(host: &str, evidence: &Evidence) -> String {
    let spf = &evidence.spf;
    let identity = if spf.of_helo { "smtp.helo" } else { "smtp.mailfrom" };
    let mut methods = vec![method("spf", spf.result, &[(identity, &spf.domain)])];
    for signature in &evidence.dkim {
        let properties = [("header.d", signature.domain.as_str()), ("header.s", &signature.selector)];
        methods.push(method("dkim", signature.result, &properties));
    }
    if evidence.dkim.is_empty() {
        methods.push(method("dkim", AuthResult::None, &[]));
    }
    let from = evidence.dmarc.from_domain.as_deref().unwrap_or_default();
    methods.push(method("dmarc", evidence.dmarc.result, &[("header.from", from)]));
    methods.extend(evidence.arc.map(|result| method("arc", result, &[])));
    format!("{host}; {}", methods.join("; "))
}

/// One method with what was looked at. What a stranger wrote stands there whole, or not at all where it is no name of DNS:
/// a part of it may be the name of somebody else.
fn method(name: &str, result: AuthResult, properties: &[(&str, &str)]) -> String {
    let mut words = vec![format!("{name}={}", result.as_str())];
    for (property, value) in properties {
        let is_name = (1..=LONGEST_NAME).contains(&value.len())
            && value.bytes().all(|c| c.is_ascii_alphanumeric() || b"._-".contains(&c));
        if is_name {
            words.push(format!("{property}={value}"));
        }
    }
    words.join(" ")
}
