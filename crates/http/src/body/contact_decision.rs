//! Decision about a contact in requests and the document.

use inboxd_core::model::ContactDecision;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{BodyProblems, BodyValue};

/// Decision about a contact: trusted or blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContactDecisionName(pub(crate) ContactDecision);

impl BodyValue for ContactDecisionName {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let decision = ContactDecision::named(&String::shape(value, path, problems)?);
        if decision.is_none() {
            problems.note(path, "must be trusted, blocked or null");
        }
        decision.map(Self)
    }
}

impl PartialSchema for ContactDecisionName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(ContactDecision::ALL.iter().map(|decision| decision.as_str())))
            .description(Some(
                "Decision about a contact: `trusted` trusts its authenticated messages; `blocked` labels its messages `blocked`.",
            ))
            .into()
    }
}

impl ToSchema for ContactDecisionName {}
