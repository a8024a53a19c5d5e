//! What kind of API key is asked for.

use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{BodyProblems, BodyValue};

/// The one kind of key that is made here. Other servers of this wire make keys of other kinds: whoever asks for such a
/// key must not get a bearer key in its place, whose plaintext opens everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BearerType;

impl BodyValue for BearerType {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        if String::shape(value, path, problems)? == "bearer" {
            return Some(Self);
        }
        problems.note(path, "must be bearer, the one type of key that is made here, or be left out");
        None
    }
}

impl PartialSchema for BearerType {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(["bearer"]))
            .description(Some("The type of the key."))
            .into()
    }
}

impl ToSchema for BearerType {}
