//! JSON Schema validator for the features that the document uses.

use serde_json::{Map, Value};

/// Returns the JSON schema of the 200 response of an operation.
pub(super) fn answered<'a>(document: &'a Value, method: &str, path: &str) -> &'a Value {
    &document["paths"][path][method]["responses"]["200"]["content"]["application/json"]["schema"]
}

/// Returns the violations of the schema by a value.
pub(super) fn problems(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(document, schema, value, "$", &mut found);
    found
}

fn check(document: &Value, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        check(document, document.pointer(&reference[1..]).unwrap(), value, path, found);
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().map(|kind| kind.as_str().unwrap()).collect(),
        Value::String(kind) => vec![kind.as_str()],
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is(value, kind)) {
        found.push(format!("{path} is no {}", kinds.join(" or ")));
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        found.push(format!("{path} is none of {allowed:?}"));
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (place, value) in values.iter().enumerate() {
            check(document, items, value, &format!("{path}[{place}]"), found);
        }
    }
    if let Some(object) = value.as_object() {
        check_object(document, schema, object, path, found);
    }
    let matches = |schemas: &Value| {
        let fits = |schema: &&Value| problems(document, schema, value).is_empty();
        schemas.as_array().map(|schemas| schemas.iter().filter(fits).count())
    };
    for schema in schema["allOf"].as_array().into_iter().flatten() {
        check(document, schema, value, path, found);
    }
    if let Some(count) = matches(&schema["oneOf"]).filter(|count| *count != 1) {
        found.push(format!("{path} is {count} of those of which it must be one"));
    }
    if matches(&schema["anyOf"]) == Some(0) {
        found.push(format!("{path} is none of those of which it must be any"));
    }
}

fn check_object(document: &Value, schema: &Value, object: &Map<String, Value>, path: &str, found: &mut Vec<String>) {
    for name in schema["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap()) {
        if !object.contains_key(name) {
            found.push(format!("{path} has no {name}"));
        }
    }
    for (name, value) in object {
        let known = schema["properties"].get(name);
        let other = schema.get("additionalProperties").filter(|schema| schema.is_object());
        if let Some(schema) = known.or(other) {
            check(document, schema, value, &format!("{path}.{name}"), found);
        }
    }
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("unsupported type {other} in the document"),
    }
}
