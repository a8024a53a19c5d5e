//! Quarantine and feedback in requests and the document.

use inboxd_core::model::{FeedbackValue, QuarantineMode};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{BodyField, BodyProblems, BodyValue};

/// Quarantine: off, monitor or hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuarantineModeName(pub(crate) QuarantineMode);

impl BodyValue for QuarantineModeName {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let mode = QuarantineMode::named(&String::shape(value, path, problems)?);
        if mode.is_none() {
            problems.note(path, "must be off, monitor or hold");
        }
        mode.map(Self)
    }
}

impl PartialSchema for QuarantineModeName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(QuarantineMode::ALL.iter().map(|mode| mode.as_str())))
            .description(Some(
                "Quarantine of received messages: `off` delivers all; `monitor` delivers all and sends `message.security.completed` for each; `hold` holds those with signs of an attack until they are released.",
            ))
            .into()
    }
}

impl ToSchema for QuarantineModeName {}

/// Opinion about a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FeedbackName(pub(crate) FeedbackValue);

impl BodyField for FeedbackName {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        let feedback = value.as_ref().and_then(Value::as_str).and_then(FeedbackValue::named);
        if feedback.is_none() {
            let names: Vec<&str> = FeedbackValue::ALL.iter().map(|value| value.as_str()).collect();
            problems.note(path, format!("must be one of {}", names.join(", ")));
        }
        Self(feedback.unwrap_or(FeedbackValue::CorrectReview))
    }
}

impl PartialSchema for FeedbackName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(FeedbackValue::ALL.iter().map(|value| value.as_str())))
            .description(Some("Opinion about the verdict on a message."))
            .into()
    }
}

impl ToSchema for FeedbackName {}
