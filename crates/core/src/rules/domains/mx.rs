//! MX records (RFC 5321, section 5.1).

use super::verify::Verdict;
use crate::ports::MxHost;

/// Judges the MX records of a name: ours is among them, and none is asked before it or as often. Hosts that are asked
/// only when ours does not answer may stay, for such a backup hands its mail on; before ours they would keep it.
pub(super) fn judge(host: &str, found: &[MxHost]) -> Verdict {
    let is_ours = |mx: &&MxHost| same(&mx.host, host);
    let Some(ours) = found.iter().filter(is_ours).map(|mx| mx.preference).min() else {
        return Verdict::Invalid("value_mismatch", "mail goes to other hosts; publish this one instead");
    };
    if found.iter().any(|mx| !same(&mx.host, host) && mx.preference <= ours) {
        let reason = "mail also goes to other hosts; remove them, or give this one a lower preference than theirs";
        return Verdict::Invalid("duplicate_records", reason);
    }
    Verdict::Valid
}

fn same(one: &str, other: &str) -> bool {
    one.trim_end_matches('.').eq_ignore_ascii_case(other.trim_end_matches('.'))
}
