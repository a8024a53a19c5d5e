//! Registered domains of hosts.

/// Second-level labels below which registries of countries register names: `example.co.uk`.
const SECOND_LEVEL: &[&str] = &["ac", "co", "com", "edu", "go", "gov", "gob", "ne", "net", "or", "org"];
/// Returns the registered domain of a host: its last two labels, or three below `co.uk` and the like.
///
/// This approximates the list of public suffixes. The error is on the lenient side: hosts of two owners below one
/// suffix may count as one.
#[must_use]
pub fn base_domain(host: &str) -> &str {
    let host = host.trim_end_matches('.');
    let mut labels = host.rsplit('.');
    let top = labels.next().unwrap_or_default();
    let is_shared = top.len() == 2 && labels.next().is_some_and(|label| SECOND_LEVEL.contains(&label));
    let dot = host.rmatch_indices('.').nth(if is_shared { 2 } else { 1 });
    dot.and_then(|(at, _)| host.get(at + 1..)).unwrap_or(host)
}
