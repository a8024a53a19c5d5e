//! JSON without what differs from run to run, for snapshots.

use std::collections::BTreeMap;

use serde_json::Value;

/// What the ids that the service mints begin with.
const PREFIXES: [&str; 8] = ["org_", "pod_", "thr_", "evt_", "key_", "att_", "mem_", "am_"];

/// Pretty JSON with its keys in order, in which minted ids, times, ports and signatures are replaced by what they are.
#[must_use]
pub fn redacted(value: &Value) -> String {
    serde_json::to_string_pretty(&replaced(value)).unwrap()
}

fn replaced(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(name_of(text)),
        Value::Array(items) => items.iter().map(replaced).collect(),
        // Through a sorted map, whatever order the JSON library keeps.
        Value::Object(fields) => {
            let sorted: BTreeMap<&String, Value> = fields.iter().map(|(key, field)| (key, replaced(field))).collect();
            sorted.into_iter().map(|(key, field)| (key.clone(), field)).collect()
        }
        _ => value.clone(),
    }
}

fn name_of(text: &str) -> String {
    let hex = |text: &str| text.len() == 32 && text.bytes().all(|c| c.is_ascii_hexdigit());
    if is_time(text) {
        return "[time]".to_owned();
    }
    if let Some(prefix) = PREFIXES.iter().find(|prefix| text.strip_prefix(**prefix).is_some_and(hex)) {
        return format!("[{prefix}…]");
    }
    if text.starts_with("am_") {
        return format!("[am_… of {}]", text.len());
    }
    let minted = text.strip_prefix('<').and_then(|rest| rest.split_once('@')).filter(|(unique, _)| hex(unique));
    if let Some((_, domain)) = minted {
        return format!("[<…@{domain}]");
    }
    match text.strip_prefix("http://127.0.0.1:") {
        Some(rest) => {
            let path = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let is_signed = path.rsplit('/').next().is_some_and(|last| last.len() > 60);
            let shown = if is_signed { "[signed]" } else { path };
            format!("[base_url]{shown}")
        }
        None => text.to_owned(),
    }
}

/// `2026-11-20T10:00:00.000Z`, and nothing else.
fn is_time(text: &str) -> bool {
    let shape = "dddd-dd-ddTdd:dd:dd.dddZ";
    let matches = |(c, s): (char, char)| if s == 'd' { c.is_ascii_digit() } else { c == s };
    text.len() == shape.len() && text.chars().zip(shape.chars()).all(matches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_replaced() {
        let hex = "0123456789abcdef0123456789abcdef";
        let table = [
            ("2026-11-20T10:00:00.000Z", "[time]"),
            ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00Z"),
            (&format!("org_{hex}"), "[org_…]"),
            (&format!("<{hex}@inboxd.localhost>"), "[<…@inboxd.localhost>]"),
            ("<a@b.example>", "<a@b.example>"),
            ("http://127.0.0.1:4711/docs/errors#not_found", "[base_url]/docs/errors#not_found"),
            ("org_short", "org_short"),
        ];
        for (text, expected) in table {
            assert_eq!(name_of(text), expected);
        }
    }
}
