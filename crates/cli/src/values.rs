//! Values of flags as JSON.

use serde_json::{Map, Value};

use crate::document::{ApiField, ValueKind};
use crate::failure::CommandFailure;

/// Converts the values of a flag.
pub(crate) fn to_json(field: &ApiField, given: &[&str]) -> Result<Value, CommandFailure> {
    if let [single] = given
        && *single == "null"
        && (field.is_cleared_by_null() || field.form.kind == ValueKind::Null)
    {
        return Ok(Value::Null);
    }
    if matches!(field.form.kind, ValueKind::TextMap | ValueKind::ScalarMap) {
        return map(field, given);
    }
    let separated = given.iter().flat_map(|value| {
        let parts: Vec<&str> = if field.is_separated() { value.split(',').collect() } else { vec![*value] };
        parts
    });
    let mut values = separated.map(|value| single(field, value)).collect::<Result<Vec<Value>, CommandFailure>>()?;
    if !field.form.is_list {
        return Ok(values.pop().unwrap_or_default());
    }
    // JSON of a whole list counts as its items.
    Ok(values.into_iter().flat_map(|value| if let Value::Array(items) = value { items } else { vec![value] }).collect())
}

fn single(field: &ApiField, text: &str) -> Result<Value, CommandFailure> {
    let wrong = |expected: &str| CommandFailure::usage(format!("--{} {text:?} is no {expected}", field.flag()));
    match field.form.kind {
        ValueKind::Text | ValueKind::TextMap | ValueKind::ScalarMap => Ok(text.into()),
        ValueKind::Boolean => text.parse::<bool>().map(Value::from).map_err(|_| wrong("true or false")),
        ValueKind::Integer => text.parse::<i64>().map(Value::from).map_err(|_| wrong("whole number")),
        ValueKind::Number => text.parse::<f64>().map(Value::from).map_err(|_| wrong("number")),
        ValueKind::Null => Err(wrong("null")),
        ValueKind::Json => serde_json::from_str(text).map_err(|_| wrong("JSON")),
    }
}

/// Reads `name=value` pairs, or JSON of a whole object.
fn map(field: &ApiField, given: &[&str]) -> Result<Value, CommandFailure> {
    let mut pairs = Map::new();
    for text in given {
        if let Ok(Value::Object(object)) = serde_json::from_str(text) {
            pairs.extend(object);
            continue;
        }
        let Some((name, value)) = text.split_once('=') else {
            let cause = format!("--{} {text:?} has no name", field.flag());
            return Err(CommandFailure::usage(cause).fix("write name=value, once for each pair"));
        };
        let value = if field.form.kind == ValueKind::TextMap { value.into() } else { scalar(value) };
        pairs.insert(name.to_owned(), value);
    }
    Ok(Value::Object(pairs))
}

/// Reads a number, a boolean or null; anything else is text.
pub(crate) fn scalar(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_))) => value,
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

    use serde_json::json;

    use super::*;
    use crate::document::{FieldPlace, ValueForm};

    fn field(name: &str, kind: ValueKind, is_list: bool) -> ApiField {
        ApiField {
            name: name.to_owned(),
            place: FieldPlace::Body,
            form: ValueForm { kind, is_list, is_nullable: true, choices: Vec::new() },
            is_required: false,
            help: String::new(),
        }
    }

    #[test]
    fn flags_become_json() {
        for (name, kind, is_list, given, expected) in [
            ("text", ValueKind::Text, false, vec!["null"], json!("null")),
            ("assignee_id", ValueKind::Text, false, vec!["null"], json!(null)),
            ("to", ValueKind::Text, true, vec!["Doe, J <j@x>", "b@x"], json!(["Doe, J <j@x>", "b@x"])),
            ("inbox_ids", ValueKind::Text, true, vec!["a,b", "c"], json!(["a", "b", "c"])),
            ("labels", ValueKind::Text, true, vec!["null"], json!(null)),
            ("enabled", ValueKind::Boolean, false, vec!["false"], json!(false)),
            ("limit", ValueKind::Integer, false, vec!["7"], json!(7)),
            ("headers", ValueKind::TextMap, false, vec!["X-A=1", "X-B=b=c"], json!({"X-A": "1", "X-B": "b=c"})),
            (
                "metadata",
                ValueKind::ScalarMap,
                false,
                vec!["n=1", "ok=true", "t=x", "gone=null"],
                json!({"n": 1, "ok": true, "t": "x", "gone": null}),
            ),
            ("metadata", ValueKind::ScalarMap, false, vec!["{\"a\": \"b\"}"], json!({"a": "b"})),
            (
                "attachments",
                ValueKind::Json,
                true,
                vec!["{\"url\": \"u\"}", "[{\"url\": \"v\"}]"],
                json!([{"url": "u"}, {"url": "v"}]),
            ),
        ] {
            assert_eq!(to_json(&field(name, kind, is_list), &given).unwrap(), expected, "{name} {given:?}");
        }
    }

    #[test]
    fn wrong_values_are_wrong_usage() {
        for (kind, given) in [
            (ValueKind::Boolean, "yes"),
            (ValueKind::Integer, "1.5"),
            (ValueKind::Number, "x"),
            (ValueKind::TextMap, "x"),
            (ValueKind::Json, "{"),
            (ValueKind::Null, "x"),
        ] {
            let failure = to_json(&field("name", kind, false), &[given]).unwrap_err();
            assert_eq!(failure.status, crate::failure::ExitStatus::Usage, "{given}");
        }
    }
}
