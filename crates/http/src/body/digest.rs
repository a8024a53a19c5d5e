//! SHA-256 of a file.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::fields::required;
use super::{BodyField, BodyProblems, BodyValue};

/// SHA-256 in base64: 43 characters and `=`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ContentDigest(pub(crate) [u8; 32]);

impl BodyValue for ContentDigest {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let text = String::shape(value, path, problems)?;
        let digest = BASE64_STANDARD.decode(text).ok().and_then(|bytes| bytes.try_into().ok()).map(Self);
        if digest.is_none() {
            problems.note(path, "must be a SHA-256 in base64: 43 characters and =");
        }
        digest
    }
}

impl BodyField for ContentDigest {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        required(value, path, problems)
    }
}

impl PartialSchema for ContentDigest {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(44))
            .max_length(Some(44))
            .pattern(Some("^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$"))
            .description(Some("SHA-256 of the content in base64."))
            .into()
    }
}

impl ToSchema for ContentDigest {}
