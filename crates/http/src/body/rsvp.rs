//! Response to an invitation in requests and the document.

use inboxd_mail::AttendeeStatus;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{BodyField, BodyProblems};

/// Names of the responses.
const RESPONSES: [(&str, AttendeeStatus); 3] = [
    ("accept", AttendeeStatus::Accepted),
    ("tentative", AttendeeStatus::Tentative),
    ("decline", AttendeeStatus::Declined),
];

/// Response to an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RsvpName(pub(crate) AttendeeStatus);

impl BodyField for RsvpName {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        let named = value.as_ref().and_then(Value::as_str);
        let found = RESPONSES.iter().find(|(name, _)| Some(*name) == named);
        if found.is_none() {
            problems.note(path, "must be one of accept, tentative, decline");
        }
        Self(found.map_or(AttendeeStatus::Declined, |(_, status)| *status))
    }
}

impl PartialSchema for RsvpName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(RESPONSES.map(|(name, _)| name)))
            .description(Some("Response to an invitation."))
            .into()
    }
}

impl ToSchema for RsvpName {}
