//! Label, field and header that follow from authentication results (`wire.md`, section 5).

use crate::model::{AuthResult, Authentication};
use crate::ports::{DmarcPolicy, Evidence, SignatureEvidence};

/// Maximum length of a DNS name in bytes (RFC 1035, section 2.3.4).
const MAX_DNS_NAME_BYTES: usize = 255;

/// Returns the authentication results that are stored and shown with the message.
#[must_use]
pub fn summarize(evidence: &Evidence) -> Authentication {
    let dmarc = evidence.dmarc.result;
    Authentication {
        spf: evidence.spf.result,
        dkim: best_result(&evidence.dkim),
        dmarc,
        aligned_domain: evidence.dmarc.aligned_domain.clone().filter(|_| dmarc == AuthResult::Pass),
        arc: evidence.arc,
    }
}

/// Returns whether authentication failed. Without a DMARC pass, each of these is a failure:
///
/// - DMARC fails under a policy of quarantine or reject, or several domains stand in From (under any policy).
/// - SPF is `fail`.
/// - There are DKIM signatures, and none of them verifies.
///
/// A temporary DNS error of DMARC is no failure while the policy is unknown. With a known policy and a missing key,
/// DMARC may still pass. Only an SPF `fail` counts then, because the sender of a message decides which signatures and
/// DNS queries it causes.
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
    against_policy || evidence.spf.result == AuthResult::Fail || none_valid(&evidence.dkim)
}

/// Returns whether there are signatures and none can be valid. A signature with an unavailable key may be valid.
fn none_valid(signatures: &[SignatureEvidence]) -> bool {
    !signatures.is_empty()
        && !signatures.iter().any(|signature| matches!(signature.result, AuthResult::Pass | AuthResult::TempError))
}

/// Returns the result for all signatures together: one valid signature is enough, and an unavailable key leaves the
/// result open.
fn best_result(signatures: &[SignatureEvidence]) -> AuthResult {
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

/// Returns the value of the field `Authentication-Results` (RFC 8601). `host` is the host name of this service.
#[must_use]
pub fn results_field(host: &str, evidence: &Evidence) -> String {
    let spf = &evidence.spf;
    let identity = if spf.of_helo { "smtp.helo" } else { "smtp.mailfrom" };
    let mut methods = vec![format_method("spf", spf.result, &[(identity, &spf.domain)])];
    for signature in &evidence.dkim {
        let properties = [("header.d", signature.domain.as_str()), ("header.s", &signature.selector)];
        methods.push(format_method("dkim", signature.result, &properties));
    }
    if evidence.dkim.is_empty() {
        methods.push(format_method("dkim", AuthResult::None, &[]));
    }
    let from = evidence.dmarc.from_domain.as_deref().unwrap_or_default();
    methods.push(format_method("dmarc", evidence.dmarc.result, &[("header.from", from)]));
    methods.extend(evidence.arc.map(|result| format_method("arc", result, &[])));
    format!("{host}; {}", methods.join("; "))
}

/// Formats one method with its properties. A property value from the message appears whole, or not at all if it is no
/// DNS name: a part of it could be the name of another domain.
fn format_method(name: &str, result: AuthResult, properties: &[(&str, &str)]) -> String {
    let mut words = vec![format!("{name}={}", result.as_str())];
    for (property, value) in properties {
        let is_name = (1..=MAX_DNS_NAME_BYTES).contains(&value.len())
            && value.bytes().all(|c| c.is_ascii_alphanumeric() || b"._-".contains(&c));
        if is_name {
            words.push(format!("{property}={value}"));
        }
    }
    words.join(" ")
}
