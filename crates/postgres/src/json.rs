//! JSON of `jsonb` columns.
//!
//! Values are written as text and read from it: a tree of [`serde_json::Value`] between them takes a tenth of a list of
//! messages.

use std::io::Write;

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::Jsonb;
use inboxd_core::ports::StoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::text::stored;

/// Version of the binary form of `jsonb`: text follows.
const VERSION: u8 = 1;
/// NUL in JSON, the one character that PostgreSQL cannot store.
const NUL: &str = "\\u0000";

/// JSON text that `jsonb` can store.
#[derive(Debug, Clone, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Jsonb)]
pub(crate) struct StoredJson(String);

impl StoredJson {
    /// Returns the number of bytes of the text.
    pub(crate) fn bytes(&self) -> usize {
        self.0.len()
    }
}

impl ToSql<Jsonb, Pg> for StoredJson {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&[VERSION])?;
        out.write_all(self.0.as_bytes())?;
        Ok(IsNull::No)
    }
}

impl FromSql<Jsonb, Pg> for StoredJson {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        match value.as_bytes() {
            [VERSION, text @ ..] => Ok(Self(str::from_utf8(text)?.to_owned())),
            _ => Err("jsonb of an unknown version".into()),
        }
    }
}

/// Converts a value to JSON, with U+FFFD in place of NUL.
pub(crate) fn to_json(value: &impl Serialize) -> Result<StoredJson, StoreError> {
    let mut json = serialized(value)?;
    // An escaped backslash before `u0000` looks the same.
    if json.contains(NUL) {
        let mut tree = serde_json::from_str(&json).map_err(|error| StoreError::Failed(error.to_string()))?;
        replace_nul(&mut tree);
        json = serialized(&tree)?;
    }
    Ok(StoredJson(json))
}

fn serialized(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Failed(error.to_string()))
}

/// Parses a value from [`to_json`].
#[expect(clippy::needless_pass_by_value, reason = "rows are converted by value")]
pub(crate) fn from_json<T: DeserializeOwned>(json: StoredJson) -> Result<T, StoreError> {
    parse_json(&json.0)
}

/// Parses a stored text of JSON.
pub(crate) fn parse_json<T: DeserializeOwned>(json: &str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::Failed(format!("stored JSON cannot be read: {error}")))
}

fn replace_nul(json: &mut Value) {
    match json {
        Value::String(text) if text.contains('\0') => *text = stored(text),
        Value::Array(items) => items.iter_mut().for_each(replace_nul),
        Value::Object(members) => {
            members.values_mut().for_each(replace_nul);
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
        let with_nul = json!({"a\0": ["\0", {"b": "c\0"}], "d": 1});
        let without = json!({"a\u{fffd}": ["\u{fffd}", {"b": "c\u{fffd}"}], "d": 1});
        assert_eq!(from_json::<Value>(to_json(&with_nul).unwrap()).unwrap(), without);
    }

    #[test]
    fn other_values_are_unchanged() {
        let json = json!({"path": "C:\\u0000", "text": "ä \" \n", "numbers": [0.1, -5, u64::MAX]});
        assert_eq!(from_json::<Value>(to_json(&json).unwrap()).unwrap(), json);
    }
}
