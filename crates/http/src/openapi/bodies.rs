//! Request bodies: the fields that the scope of a path excludes, and the bodies that a call may leave out.

use inboxd_core::model::Breadth;
use utoipa::ToSchema;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ArrayBuilder, Object, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Components, Content, Ref, RefOr, Required};

use crate::body::SendRequest;

/// Documents whether the body of an operation is required. Where it is optional, `null` equals an absent body.
pub(super) fn finish(operation: &mut Operation, components: &Components) {
    let Some(RefOr::T(body)) = &mut operation.request_body else { return };
    let may_be_left_out = body.content.values().all(|content| match content {
        RefOr::T(Content { schema: Some(RefOr::Ref(schema)), .. }) => needs_nothing(schema, components),
        _ => false,
    });
    body.required = Some(if may_be_left_out { Required::False } else { Required::True });
    if may_be_left_out {
        for content in body.content.values_mut() {
            if let RefOr::T(Content { schema: Some(schema), .. }) = content {
                let null = ObjectBuilder::new().schema_type(Type::Null);
                *schema = OneOfBuilder::new().item(null).item(schema.clone()).into();
            }
        }
    }
}

/// Assigns a schema of its own to a body that names pods or inboxes, where the path names them.
pub(super) fn narrow(scope: Breadth, operation: &mut Operation, components: &mut Components) {
    let (word, suffixes): (&str, &[&str]) = match scope {
        Breadth::Organization => return,
        Breadth::Pod => ("Pod", &["pod_ids"]),
        Breadth::Inbox => ("Inbox", &["pod_ids", "inbox_ids"]),
    };
    let Some(RefOr::T(body)) = &mut operation.request_body else { return };
    for content in body.content.values_mut() {
        let RefOr::T(Content { schema: Some(RefOr::Ref(reference)), .. }) = content else { continue };
        let name = reference.ref_location.rsplit('/').next().unwrap_or_default().to_owned();
        let Some(RefOr::T(Schema::Object(whole))) = components.schemas.get(&name) else { continue };
        let mut narrowed = whole.clone();
        let is_excluded = |field: &str| suffixes.iter().any(|suffix| field.ends_with(suffix));
        let excluded: Vec<String> = narrowed.properties.keys().filter(|field| is_excluded(field)).cloned().collect();
        if excluded.is_empty() {
            continue;
        }
        for field in excluded {
            narrowed.properties.insert(field, nothing(word).into());
        }
        let own_name = name.replacen("Webhook", &format!("{word}Webhook"), 1);
        *reference = Ref::from_schema_name(&own_name);
        components.schemas.insert(own_name, Schema::Object(narrowed).into());
    }
}

/// Returns the schema of a field that is null or an empty list.
fn nothing(word: &str) -> Schema {
    let empty = ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::String)).max_items(Some(0));
    let description = format!("The path names the {}; a value is refused.", word.to_lowercase());
    let any_of = OneOfBuilder::new().item(Object::with_type(Type::Null)).item(empty);
    any_of.description(Some(description)).into()
}

/// Returns whether every field is optional. Of an outgoing message each field is optional, but not all of them
/// together.
fn needs_nothing(schema: &Ref, components: &Components) -> bool {
    let name = schema.ref_location.rsplit('/').next().unwrap_or_default();
    name != SendRequest::name()
        && matches!(components.schemas.get(name), Some(RefOr::T(Schema::Object(object))) if object.required.is_empty())
}
