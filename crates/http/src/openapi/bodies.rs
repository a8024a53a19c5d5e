//! Which bodies a call may leave out, or send as `null`.

use utoipa::ToSchema;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Components, Content, Ref, RefOr, Required};

use crate::body::SendRequest;

/// Says whether the body of an operation must be there. Where it may be left out, `null` is the same as none.
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

/// Whether every field may be left out. Of a mail to send, each field may, but not all of them.
fn needs_nothing(schema: &Ref, components: &Components) -> bool {
    let name = schema.ref_location.rsplit('/').next().unwrap_or_default();
    name != SendRequest::name()
        && matches!(components.schemas.get(name), Some(RefOr::T(Schema::Object(object))) if object.required.is_empty())
}
