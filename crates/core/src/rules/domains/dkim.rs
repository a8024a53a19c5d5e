//! The DKIM key record (RFC 6376, section 3.6.1).

use super::record_verdict::RecordVerdict;
use super::tags;

/// Evaluates the TXT records at the name of the key.
pub(super) fn evaluate(wanted: &str, found: &[String]) -> RecordVerdict {
    let [only] = found else {
        // The result of several records is undefined for verifiers (RFC 6376, section 3.6.2.2).
        let reason = "several TXT records stand at this name; keep the one with this value alone";
        return RecordVerdict::Invalid("duplicate_records", reason);
    };
    let (Some(wanted), Some(found)) = (tags::parse(wanted), tags::parse(only)) else {
        return RecordVerdict::Invalid("value_mismatch", "the record is no DKIM key; publish this value");
    };
    if same_key(&wanted, &found) && is_usable(&found) {
        return RecordVerdict::Valid;
    }
    let reason = match tags::value(&found, "p") {
        Some(key) if squeezed(key).is_empty() => "the key is revoked (empty p=); publish this value",
        _ if same_key(&wanted, &found) => "the key is right, but another tag keeps it from use; publish this value",
        Some(_) => "the key is another one, or is cut short; publish this value",
        None => "the record has no p= tag; publish this value",
    };
    RecordVerdict::Invalid("value_mismatch", reason)
}

fn same_key(wanted: &[(&str, &str)], found: &[(&str, &str)]) -> bool {
    let key = |tags| tags::value(tags, "p").map(squeezed);
    key(wanted).is_some_and(|wanted| key(found).as_ref() == Some(&wanted))
}

/// Returns whether no other tag excludes the key from RSA with SHA-256 in mail.
fn is_usable(tags: &[(&str, &str)]) -> bool {
    let allows = |name: &str, words: &[&str]| {
        tags::value(tags, name).is_none_or(|list| list.split(':').any(|word| words.contains(&word.trim())))
    };
    // `v` is optional, but must come first.
    let version = tags::value(tags, "v").is_none_or(|version| version == "DKIM1" && tags[0].0 == "v");
    version && allows("k", &["rsa"]) && allows("h", &["sha256"]) && allows("s", &["*", "email"])
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
