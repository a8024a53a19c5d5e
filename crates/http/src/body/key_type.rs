//! Type field of a new API key.

use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{BodyProblems, BodyValue};

/// The only supported type of key.
///
/// Other implementations of this API create further types. A request for one of them is refused: a bearer key in its
/// place would grant full access by its plaintext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BearerType;

impl BodyValue for BearerType {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        if String::shape(value, path, problems)? == "bearer" {
            return Some(Self);
        }
        problems.note(path, "must be bearer, the only supported type of key, or absent");
        None
    }
}

impl PartialSchema for BearerType {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(["bearer"]))
            .description(Some("Type of the API key."))
            .into()
    }
}

impl ToSchema for BearerType {}
