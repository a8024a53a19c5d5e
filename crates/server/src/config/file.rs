//! Configuration file.

use std::collections::BTreeMap;
use std::path::Path;

use super::source::{is_key, nearest};
use crate::failure::Failure;

/// Reads a TOML file of settings, and returns its problems beside the readable values; no path means no settings.
pub(super) fn read(path: Option<&Path>) -> (BTreeMap<String, String>, Vec<Failure>) {
    let Some(path) = path else { return (BTreeMap::new(), Vec::new()) };
    let shown = path.display();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return (BTreeMap::new(), vec![Failure::new(format!("cannot read {shown}: {error}"))]),
    };
    let (values, problems) = parse(&text);
    (values, problems.into_iter().map(|problem| Failure::new(format!("{shown}{problem}"))).collect())
}

/// Reads the text of a file. Each problem continues the name of the file.
pub(super) fn parse(text: &str) -> (BTreeMap<String, String>, Vec<String>) {
    let table: toml::Table = match text.parse() {
        Ok(table) => table,
        Err(error) => {
            let error: toml::de::Error = error;
            // The full text of the error has the line, which may contain a secret.
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let message = error.message().lines().next().unwrap_or_default();
            return (BTreeMap::new(), vec![format!(" is not TOML: line {line}: {message}")]);
        }
    };
    let mut values = BTreeMap::new();
    let mut problems = Vec::new();
    for (key, value) in table {
        if !is_key(&key) {
            problems.push(format!(
                ": {key} is not a setting; the nearest is {}, and `inboxd config example` lists all",
                nearest(&key)
            ));
        } else if let Some(text) = as_text(value) {
            values.insert(key, text);
        } else {
            problems.push(format!(": {key} must be a string, a number or a list of strings"));
        }
    }
    (values, problems)
}

/// Returns the value as the text of an environment variable.
fn as_text(value: toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Array(items) if items.iter().all(toml::Value::is_str) => {
            Some(items.iter().filter_map(toml::Value::as_str).collect::<Vec<_>>().join(","))
        }
        _ => None,
    }
}
