//! Texts that PostgreSQL can store.

use std::borrow::Cow;

use inboxd_core::ports::StoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Replaces NUL, the one character that PostgreSQL cannot store, by U+FFFD.
pub(crate) fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

/// Returns the owned form of [`storable`], for rows.
pub(crate) fn stored(text: &str) -> String {
    storable(text).into_owned()
}

/// Converts a text to lower case for filters. The database cannot do it, because collation C folds ASCII alone.
pub(crate) fn folded(text: &str) -> String {
    stored(&text.to_lowercase())
}

/// Converts a value to JSON that `jsonb` can store.
pub(crate) fn to_json(value: &impl Serialize) -> Result<Value, StoreError> {
    let mut json = serde_json::to_value(value).map_err(|error| StoreError::Failed(error.to_string()))?;
    make_storable(&mut json);
    Ok(json)
}

/// Parses a value from [`to_json`].
pub(crate) fn from_json<T: DeserializeOwned>(json: Value) -> Result<T, StoreError> {
    serde_json::from_value(json).map_err(|error| StoreError::Failed(format!("stored JSON cannot be read: {error}")))
}

fn make_storable(json: &mut Value) {
    match json {
        Value::String(text) if text.contains('\0') => *text = stored(text),
        Value::Array(items) => items.iter_mut().for_each(make_storable),
        Value::Object(members) => {
            members.values_mut().for_each(make_storable);
            if members.keys().any(|name| name.contains('\0')) {
                *members = std::mem::take(members).into_iter().map(|(name, value)| (stored(&name), value)).collect();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use serde_json::json;

    use super::*;

    #[test]
    fn nul_is_replaced_at_any_position() {
        assert_eq!(storable("a\0b"), "a\u{fffd}b");
        assert_eq!(folded("ÄB\0"), "äb\u{fffd}");
        assert_eq!(
            to_json(&json!({"a\0": ["\0", {"b": "c\0"}], "d": 1})).unwrap(),
            json!({"a\u{fffd}": ["\u{fffd}", {"b": "c\u{fffd}"}], "d": 1})
        );
    }

    #[test]
    fn other_text_is_not_copied() {
        assert!(matches!(storable("plain"), Cow::Borrowed("plain")));
    }
}
