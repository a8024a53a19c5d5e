//! The DMARC policy record (RFC 7489, section 6.3).

use super::record_verdict::RecordVerdict;
use super::tags;

/// Evaluates the TXT records at `_dmarc`. Any valid policy is accepted, because the owner of the domain chooses it.
pub(super) fn evaluate(found: &[String]) -> RecordVerdict {
    // Records that begin otherwise are discarded (RFC 7489, section 6.6.3).
    let policies: Vec<_> = found.iter().filter(|text| is_dmarc(text)).collect();
    match policies.as_slice() {
        [] => RecordVerdict::Invalid("value_mismatch", "no record here begins with v=DMARC1; publish this value"),
        [only] if has_policy(only) => RecordVerdict::Valid,
        [_] => RecordVerdict::Invalid("value_mismatch", "the record has no p= of none, quarantine or reject"),
        _ => RecordVerdict::Invalid("duplicate_records", "several DMARC records count as none; keep one"),
    }
}

/// Returns whether a TXT record is a DMARC policy (RFC 7489, section 6.3).
#[must_use]
pub fn is_dmarc(text: &str) -> bool {
    let Some((name, rest)) = text.trim_start().split_once('=') else { return false };
    let value = rest.split(';').next().unwrap_or_default();
    name.trim() == "v" && value.trim() == "DMARC1"
}

fn has_policy(text: &str) -> bool {
    let policy = tags::parse(text).and_then(|tags| tags::value(&tags, "p").map(str::to_ascii_lowercase));
    policy.is_some_and(|policy| ["none", "quarantine", "reject"].contains(&policy.as_str()))
}
