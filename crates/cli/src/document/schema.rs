//! Forms of values, read from JSON schemas.

use serde_json::Value;

/// Limit of nested references, so that a document that refers to itself ends.
const MAX_DEPTH: usize = 16;

/// Kind of one value of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Text,
    Integer,
    Number,
    Boolean,
    /// Object of texts: `name=value`.
    TextMap,
    /// Object of numbers, booleans, texts and null: `name=value`.
    ScalarMap,
    /// Anything else, as JSON.
    Json,
    /// Nothing but null.
    Null,
}

/// Form of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ValueForm {
    pub(crate) kind: ValueKind,
    pub(crate) is_list: bool,
    pub(crate) is_nullable: bool,
    pub(crate) choices: Vec<String>,
}

impl ValueForm {
    fn of(kind: ValueKind) -> Self {
        Self { kind, is_list: false, is_nullable: false, choices: Vec::new() }
    }
}

/// Reader of schemas of one document.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaReader<'a>(pub(super) &'a Value);

impl<'a> SchemaReader<'a> {
    /// Follows references to the schema.
    pub(super) fn resolve(self, schema: &'a Value) -> &'a Value {
        let mut found = schema;
        for _ in 0..MAX_DEPTH {
            let Some(reference) = found["$ref"].as_str() else { break };
            found = self.0.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null);
        }
        found
    }

    /// Returns the object schema of a body: of the alternatives the one that is not null.
    pub(super) fn object(self, schema: &'a Value) -> &'a Value {
        let schema = self.resolve(schema);
        let mut options = alternatives(schema).map(|option| self.resolve(option));
        options.find(|option| option["type"] != "null").unwrap_or(schema)
    }

    /// Returns the name of a referenced schema.
    pub(super) fn name(schema: &Value) -> Option<&str> {
        schema["$ref"].as_str()?.rsplit('/').next()
    }

    /// Returns the description of a schema: its own, or that of an alternative.
    pub(super) fn description(self, schema: &'a Value) -> &'a str {
        let own = |schema: &'a Value| schema["description"].as_str();
        own(schema)
            .or_else(|| alternatives(schema).find_map(own))
            .or_else(|| own(self.resolve(schema)))
            .or_else(|| alternatives(schema).find_map(|option| own(self.resolve(option))))
            .unwrap_or_default()
    }

    /// Returns the form of a field; `None` for a field that takes no value here.
    pub(super) fn form(self, schema: &'a Value) -> Option<ValueForm> {
        self.form_within(schema, MAX_DEPTH)
    }

    fn form_within(self, schema: &'a Value, depth: usize) -> Option<ValueForm> {
        let schema = self.resolve(schema);
        let depth = depth.checked_sub(1)?;
        if alternatives(schema).next().is_some() {
            let is_null = |option: &Value| option["type"] == "null";
            let forms = alternatives(schema).filter(|option| !is_null(option));
            let forms: Vec<ValueForm> = forms.filter_map(|option| self.form_within(option, depth)).collect();
            let chosen = forms.iter().find(|form| form.is_list).or(forms.first())?;
            let is_nullable = chosen.is_nullable || alternatives(schema).any(is_null);
            let is_scalar = |form: &ValueForm| !form.is_list && form.kind != chosen.kind;
            if !chosen.is_list && forms.iter().any(is_scalar) {
                return Some(ValueForm { is_nullable, ..ValueForm::of(ValueKind::Json) });
            }
            return Some(ValueForm { is_nullable, ..chosen.clone() });
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            single => single.as_str().into_iter().collect(),
        };
        let is_nullable = types.contains(&"null");
        let form = match types.iter().find(|name| **name != "null") {
            Some(&"array") => return self.list(schema, is_nullable, depth),
            Some(&"object") => ValueForm::of(self.map(schema)),
            Some(&"integer") => ValueForm::of(ValueKind::Integer),
            Some(&"number") => ValueForm::of(ValueKind::Number),
            Some(&"boolean") => ValueForm::of(ValueKind::Boolean),
            Some(&"string") => {
                let choices = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
                ValueForm { choices: choices.map(str::to_owned).collect(), ..ValueForm::of(ValueKind::Text) }
            }
            None if is_nullable => ValueForm::of(ValueKind::Null),
            _ => ValueForm::of(ValueKind::Json),
        };
        Some(ValueForm { is_nullable, ..form })
    }

    fn list(self, schema: &'a Value, is_nullable: bool, depth: usize) -> Option<ValueForm> {
        if schema["maxItems"] == 0 {
            return None;
        }
        let item = self.form_within(&schema["items"], depth)?;
        let kind = if item.is_list { ValueKind::Json } else { item.kind };
        Some(ValueForm { kind, is_list: true, is_nullable, choices: item.choices })
    }

    fn map(self, schema: &'a Value) -> ValueKind {
        let values = self.resolve(&schema["additionalProperties"]);
        let is_scalar =
            |option: &Value| matches!(option["type"].as_str(), Some("string" | "number" | "boolean" | "null"));
        if values["type"] == "string" {
            ValueKind::TextMap
        } else if is_scalar(values) || (alternatives(values).next().is_some() && alternatives(values).all(is_scalar)) {
            ValueKind::ScalarMap
        } else {
            ValueKind::Json
        }
    }
}

/// Returns the alternatives of a schema.
fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|name| schema[name].as_array()).flatten()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_have_forms() {
        let document = json!({"components": {"schemas": {
            "Strings": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "Files": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        }}});
        let reader = SchemaReader(&document);
        let form = |kind, is_list, is_nullable| ValueForm { kind, is_list, is_nullable, choices: Vec::new() };
        for (schema, expected) in [
            (json!({"type": ["string", "null"]}), form(ValueKind::Text, false, true)),
            (json!({"$ref": "#/components/schemas/Strings"}), form(ValueKind::Text, true, false)),
            (
                json!({"oneOf": [{"$ref": "#/components/schemas/Files"}, {"type": "null"}]}),
                form(ValueKind::Json, true, true),
            ),
            (
                json!({"type": "object", "additionalProperties": {"type": "string"}}),
                form(ValueKind::TextMap, false, false),
            ),
            (
                json!({"type": "object", "additionalProperties": {"oneOf": [{"type": "boolean"}, {"type": "null"}]}}),
                form(ValueKind::ScalarMap, false, false),
            ),
            (json!({"type": "object", "properties": {}}), form(ValueKind::Json, false, false)),
            (json!({"type": "integer"}), form(ValueKind::Integer, false, false)),
            (json!({"type": "null"}), form(ValueKind::Null, false, true)),
        ] {
            // The reader borrows from one document; each schema is small enough to leak.
            let schema = Box::leak(Box::new(schema));
            let reader = SchemaReader(Box::leak(Box::new(document.clone())));
            assert_eq!(reader.form(schema).unwrap(), expected, "{schema}");
        }
        let nothing = json!({"oneOf": [{"type": "null"}, {"type": "array", "items": {}, "maxItems": 0}]});
        assert_eq!(reader.form(&nothing), None);
    }
}
