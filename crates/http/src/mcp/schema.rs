//! JSON schemas of tools, made from the schemas of the OpenAPI document.
//!
//! Clients differ in the schemas that they understand, and load all of them into the context of a model. So references are
//! replaced by their target, and `null` goes from the types. The schema of a result describes its root alone.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use utoipa::ToSchema;

use super::arguments::{JsonObject, camel_case};

/// Depth at which references are no longer followed.
const MAX_DEPTH: usize = 8;

/// Returns the schema of arguments, with names in camelCase.
pub(super) fn input<T: ToSchema>() -> Arc<JsonObject> {
    let mut schema = root::<T>();
    name_arguments(&mut schema);
    Arc::new(object(schema))
}

/// Returns the schema of a result: an open object with the types of its fields.
///
/// A field is written `name:type`, `name:type[]` for an array, and `name?:…` where it may be absent.
pub(super) fn output(fields: &str) -> Arc<JsonObject> {
    let mut properties = JsonObject::new();
    let mut required = Vec::new();
    for (name, kind) in fields.split_whitespace().filter_map(|field| field.split_once(':')) {
        let schema = match kind.strip_suffix("[]") {
            Some(items) => json!({ "type": "array", "items": { "type": items } }),
            None => json!({ "type": kind }),
        };
        let (name, is_required) = name.strip_suffix('?').map_or((name, true), |name| (name, false));
        properties.insert(name.to_owned(), schema);
        required.extend(is_required.then_some(name));
    }
    Arc::new(object(json!({ "type": "object", "properties": properties, "required": required })))
}

fn root<T: ToSchema>() -> Value {
    let mut found = Vec::new();
    T::schemas(&mut found);
    let components = found.into_iter().map(|(name, schema)| (name, json!(schema))).collect();
    let schema = Schemas { components }.simplify(json!(T::schema()), 0);
    let field = |name: &str| schema.get(name).cloned();
    json!({
        "type": "object",
        "properties": field("properties").unwrap_or_else(|| json!({})),
        "required": field("required").unwrap_or_else(|| json!([])),
    })
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(mut object) => {
            if object.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
                object.remove("required");
            }
            object
        }
        _ => JsonObject::new(),
    }
}

/// Schemas that references name.
struct Schemas {
    components: HashMap<String, Value>,
}

impl Schemas {
    /// Replaces references, unites alternatives with `null` and parts of one object, and drops what models need not know.
    fn simplify(&self, schema: Value, depth: usize) -> Value {
        let Value::Object(mut object) = schema else { return schema };
        if depth > MAX_DEPTH {
            return json!({});
        }
        if let Some(target) = self.target(&object) {
            return described(self.simplify(target, depth + 1), &object);
        }
        if let Some(Value::Array(choices)) = object.remove("oneOf").or_else(|| object.remove("anyOf")) {
            return described(self.simplify(one_of(choices), depth + 1), &object);
        }
        if let Some(Value::Array(parts)) = object.remove("allOf") {
            let parts = parts.into_iter().map(|part| self.simplify(part, depth + 1));
            return parts.fold(Value::Object(object), united);
        }
        object.retain(|name, _| {
            !matches!(name.as_str(), "pattern" | "example" | "examples" | "format" | "propertyNames")
        });
        if let Some(Value::Array(types)) = object.get("type") {
            let kind = types.iter().find(|kind| **kind != "null").cloned().unwrap_or_default();
            object.insert("type".to_owned(), kind);
        }
        for name in ["items", "additionalProperties"] {
            if let Some(inner) = object.remove(name) {
                object.insert(name.to_owned(), self.simplify(inner, depth + 1));
            }
        }
        if let Some(Value::Object(properties)) = object.remove("properties") {
            let inner = properties.into_iter().map(|(name, inner)| (name, self.simplify(inner, depth + 1)));
            object.insert("properties".to_owned(), Value::Object(inner.collect()));
        }
        Value::Object(object)
    }

    fn target(&self, object: &JsonObject) -> Option<Value> {
        let name = object.get("$ref")?.as_str()?.rsplit('/').next()?;
        Some(self.components.get(name).cloned().unwrap_or_else(|| json!({})))
    }
}

/// Returns the alternative that models are shown: the last one, which is the array where one value or many are accepted.
fn one_of(choices: Vec<Value>) -> Value {
    choices.into_iter().rfind(|choice| choice.get("type").is_none_or(|kind| kind != "null")).unwrap_or_default()
}

/// Gives a schema the description that stands beside the reference to it.
fn described(mut schema: Value, beside: &JsonObject) -> Value {
    if let (Some(object), Some(text)) = (schema.as_object_mut(), beside.get("description")) {
        object.insert("description".to_owned(), text.clone());
    }
    schema
}

/// Unites the properties of two schemas of one object.
fn united(mut schema: Value, part: Value) -> Value {
    let (Some(object), Value::Object(part)) = (schema.as_object_mut(), part) else { return schema };
    for (name, value) in part {
        match (object.get_mut(&name), value) {
            (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
            (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
            (Some(_), _) => {}
            (None, value) => {
                object.insert(name, value);
            }
        }
    }
    schema
}

/// Names the properties of a schema, and of the objects in its arrays, as arguments.
fn name_arguments(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Object(properties)) = object.remove("properties") {
        let named = properties.into_iter().map(|(name, mut inner)| {
            if let Some(items) = inner.get_mut("items") {
                name_arguments(items);
            }
            (camel_case(&name), inner)
        });
        object.insert("properties".to_owned(), Value::Object(named.collect()));
    }
    if let Some(Value::Array(required)) = object.get_mut("required") {
        for name in required {
            *name = Value::String(camel_case(name.as_str().unwrap_or_default()));
        }
    }
}
