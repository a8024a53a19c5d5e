//! Objects with caller-defined keys.

use std::collections::BTreeMap;

use inboxd_core::model::{Metadata, MetadataValue, Permission, Permissions};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::fields::mismatch;
use super::{BodyProblems, BodyValue};

/// Additional header fields of an outgoing message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HeaderFields(pub(crate) Vec<(String, String)>);

impl BodyValue for HeaderFields {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let entries = entries(value, path, problems)?;
        // An unusable value still counts as a field: its problem is recorded once, and the other checks include it.
        let read = entries.map(|(name, value)| {
            let text = String::shape(value, &format!("{path}.{name}"), problems);
            (name, text.unwrap_or_default())
        });
        Some(Self(read.collect()))
    }
}

/// Metadata of a new inbox.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct MetadataPairs(pub(crate) Metadata);

impl BodyValue for MetadataPairs {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let entries = entries(value, path, problems)?;
        let read = entries.filter_map(|(name, value)| {
            let value = metadata_value(value, &format!("{path}.{name}"), problems)?;
            Some((name, value))
        });
        Some(Self(read.collect()))
    }
}

/// Metadata changes of an inbox: `null` removes a pair.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct MetadataChanges(pub(crate) BTreeMap<String, Option<MetadataValue>>);

impl BodyValue for MetadataChanges {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let entries = entries(value, path, problems)?;
        let read = entries.filter_map(|(name, value)| match value {
            Value::Null => Some((name, None)),
            value => {
                let value = metadata_value(value, &format!("{path}.{name}"), problems)?;
                Some((name, Some(value)))
            }
        });
        Some(Self(read.collect()))
    }
}

fn metadata_value(value: Value, path: &str, problems: &mut BodyProblems) -> Option<MetadataValue> {
    match value {
        Value::Bool(flag) => Some(MetadataValue::Bool(flag)),
        Value::Number(number) => Some(MetadataValue::Number(number)),
        Value::String(text) => Some(MetadataValue::String(text)),
        other => mismatch("a string, a number or a boolean", &other, path, problems),
    }
}

/// Permissions of a key, by name. `null` equals an absent name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PermissionMap(pub(crate) Permissions);

impl BodyValue for PermissionMap {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let entries = entries(value, path, problems)?.filter(|(_, value)| !value.is_null());
        let read = entries.filter_map(|(name, value)| {
            let granted = bool::shape(value, &format!("{path}.{name}"), problems)?;
            Some((snake_case(&name), granted))
        });
        // A permission in both spellings is granted only if both values are true.
        let mut map = BTreeMap::new();
        for (name, granted) in read {
            map.entry(name).and_modify(|both| *both &= granted).or_insert(granted);
        }
        Some(Self(Permissions(map)))
    }
}

/// Converts a permission name to snake case: some clients write `messageRead` for `message_read`.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

fn entries(value: Value, path: &str, problems: &mut BodyProblems) -> Option<serde_json::map::IntoIter> {
    match value {
        Value::Object(object) => Some(object.into_iter()),
        other => mismatch("an object", &other, path, problems),
    }
}

fn map_of(what: &str, values: impl Into<RefOr<Schema>>) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(AdditionalProperties::RefOr(values.into())))
        .description(Some(what))
}

fn plain(kind: Type) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(kind)
}

fn pair_values() -> OneOfBuilder {
    OneOfBuilder::new().item(plain(Type::String)).item(plain(Type::Number)).item(plain(Type::Boolean))
}

impl PartialSchema for HeaderFields {
    fn schema() -> RefOr<Schema> {
        map_of("Additional header fields by name.", plain(Type::String)).into()
    }
}

impl ToSchema for HeaderFields {}

impl PartialSchema for MetadataPairs {
    fn schema() -> RefOr<Schema> {
        let names = plain(Type::String).min_length(Some(1));
        let pairs = map_of("Metadata pairs of name and value.", pair_values());
        pairs.max_properties(Some(256)).property_names(Some(names)).into()
    }
}

impl ToSchema for MetadataPairs {}

impl PartialSchema for MetadataChanges {
    fn schema() -> RefOr<Schema> {
        map_of("Metadata pairs to set; a null value removes the pair.", pair_values().item(plain(Type::Null))).into()
    }
}

impl ToSchema for MetadataChanges {}

impl PartialSchema for PermissionMap {
    fn schema() -> RefOr<Schema> {
        let names = Permission::ALL.iter().map(|permission| permission.as_str());
        let granted = OneOfBuilder::new().item(plain(Type::Boolean)).item(plain(Type::Null));
        map_of("Permissions of the key by name. Permissions without a value are denied.", granted)
            .property_names(Some(plain(Type::String).enum_values(Some(names))))
            .into()
    }
}

impl ToSchema for PermissionMap {}
