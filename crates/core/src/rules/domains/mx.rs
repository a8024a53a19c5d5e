//! MX records (RFC 5321, section 5.1).

use super::record_verdict::RecordVerdict;
use crate::ports::MxHost;

/// Evaluates the MX records of a name: ours is among them, and no other has an equal or higher priority. Backup hosts
/// with lower priority may stay, because they forward mail to ours; with higher priority they would store it.
pub(super) fn evaluate(host: &str, found: &[MxHost]) -> RecordVerdict {
    let is_ours = |mx: &&MxHost| same(&mx.host, host);
    let Some(ours) = found.iter().filter(is_ours).map(|mx| mx.preference).min() else {
        return RecordVerdict::Invalid("value_mismatch", "mail goes to other hosts; publish this one instead");
    };
    if found.iter().any(|mx| !same(&mx.host, host) && mx.preference <= ours) {
        let reason =
            "mail also goes to other hosts; remove them, or publish this one with a lower preference than theirs";
        return RecordVerdict::Invalid("duplicate_records", reason);
    }
    RecordVerdict::Valid
}

fn same(one: &str, other: &str) -> bool {
    one.trim_end_matches('.').eq_ignore_ascii_case(other.trim_end_matches('.'))
}
