//! Status field of an inbox.

use inboxd_core::model::InboxStatus;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{BodyProblems, BodyValue};

/// Status of an inbox: active or paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InboxStatusName(pub(crate) InboxStatus);

impl BodyValue for InboxStatusName {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let status = InboxStatus::named(&String::shape(value, path, problems)?);
        if status.is_none() {
            problems.note(path, "must be active or paused");
        }
        status.map(Self)
    }
}

impl PartialSchema for InboxStatusName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(InboxStatus::ALL.iter().map(|status| status.as_str())))
            .description(Some(
                "Status of an inbox: `active` sends and receives; `paused` sends nothing, and mail to it is deferred.",
            ))
            .into()
    }
}

impl ToSchema for InboxStatusName {}
