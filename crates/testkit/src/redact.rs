//! Stable JSON for snapshots.

use std::collections::BTreeMap;

use serde_json::Value;

/// Prefixes of generated ids.
const PREFIXES: [&str; 8] = ["org_", "pod_", "thr_", "evt_", "key_", "att_", "mem_", "am_"];

/// Returns pretty JSON with sorted keys and placeholders for generated ids, times, ports and signatures.
#[must_use]
pub fn redacted(value: &Value) -> String {
    serde_json::to_string_pretty(&replace_values(value)).unwrap()
}

fn replace_values(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(placeholder(text)),
        Value::Array(items) => items.iter().map(replace_values).collect(),
        // A sorted map, independent of the order in the JSON library.
        Value::Object(fields) => {
            let sorted: BTreeMap<&String, Value> =
                fields.iter().map(|(key, field)| (key, replace_values(field))).collect();
            sorted.into_iter().map(|(key, field)| (key.clone(), field)).collect()
        }
        _ => value.clone(),
    }
}

fn placeholder(text: &str) -> String {
    let is_hex = |text: &str| text.len() == 32 && text.bytes().all(|c| c.is_ascii_hexdigit());
    if is_time(text) {
        return "[time]".to_owned();
    }
    if let Some(prefix) = PREFIXES.iter().find(|prefix| text.strip_prefix(**prefix).is_some_and(is_hex)) {
        return format!("[{prefix}…]");
    }
    if text.starts_with("am_") {
        return format!("[am_… of {}]", text.len());
    }
    let generated = text.strip_prefix('<').and_then(|rest| rest.split_once('@')).filter(|(unique, _)| is_hex(unique));
    if let Some((_, domain)) = generated {
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

/// Returns whether a text is a time in the form `2026-11-20T10:00:00.000Z`.
fn is_time(text: &str) -> bool {
    let shape = "dddd-dd-ddTdd:dd:dd.dddZ";
    let matches = |(c, s): (char, char)| if s == 'd' { c.is_ascii_digit() } else { c == s };
    text.len() == shape.len() && text.chars().zip(shape.chars()).all(matches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_replaces_only_varying_values() {
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
            assert_eq!(placeholder(text), expected);
        }
    }
}
