//! The SPF record (RFC 7208).

use inboxd_mail::is_spf_record;

use super::record_verdict::RecordVerdict;

/// Evaluates the TXT records of the domain: exactly one is SPF, and it includes the record of the service.
pub(super) fn evaluate(host: &str, found: &[String]) -> RecordVerdict {
    let records: Vec<_> = found.iter().filter(|text| is_spf_record(text)).collect();
    match records.as_slice() {
        [] => RecordVerdict::Missing,
        [only] if includes(only, host) => RecordVerdict::Valid,
        [_] => RecordVerdict::Invalid("value_mismatch", "add the include: of this value to the record, before its all"),
        _ => RecordVerdict::Invalid("duplicate_records", "several SPF records count as an error; merge them into one"),
    }
}

fn includes(text: &str, host: &str) -> bool {
    let terms: Vec<String> = text.split(' ').skip(1).map(str::to_ascii_lowercase).collect();
    let host = host.to_ascii_lowercase();
    let include = format!("include:{host}");
    let is_all = |term: &str| term.trim_start_matches(['+', '-', '~', '?']) == "all";
    // Terms behind `all` are never evaluated; `redirect` counts only without `all` (RFC 7208, sections 5.1 and 6.1).
    let reached = terms.iter().take_while(|term| !is_all(term));
    let has_all = terms.iter().any(|term| is_all(term));
    reached.into_iter().any(|term| term.strip_prefix('+').unwrap_or(term) == include)
        || (!has_all && terms.contains(&format!("redirect={host}")))
}
