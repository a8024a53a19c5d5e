//! Types of single request fields.

use std::borrow::Cow;

use inboxd_core::model::{AttachmentId, InboxId, MessageId};
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{KnownFormat, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::{BodyField, BodyProblems, BodyValue};
use crate::path;
use crate::query::instant;

impl BodyValue for String {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        match value {
            Value::String(text) => Some(text),
            other => mismatch("a string", &other, path, problems),
        }
    }
}

/// Required string.
impl BodyField for String {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        required(value, path, problems)
    }
}

impl BodyValue for bool {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(flag),
            other => mismatch("true or false", &other, path, problems),
        }
    }
}

impl BodyField for bool {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        required(value, path, problems)
    }
}

impl BodyValue for u32 {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        match &value {
            Value::Number(number) => {
                // JSON Schema takes 8.0 as an integer too.
                let of_fraction = || number.as_f64().filter(|number| number.fract() == 0.0)?.to_string().parse().ok();
                let whole = number.as_u64().or_else(of_fraction).and_then(|number| Self::try_from(number).ok());
                if whole.is_none() {
                    problems.note(path, "must be a whole number");
                }
                whole
            }
            other => mismatch("a whole number", other, path, problems),
        }
    }
}

/// Required whole number.
impl BodyField for u32 {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        required(value, path, problems)
    }
}

/// Field in which `null` clears the stored value.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Nullable<T> {
    /// Absent field: the stored value stays.
    #[default]
    Absent,
    /// Field sent as `null`.
    Null,
    /// Field sent with a value.
    Value(T),
}

impl<T> Nullable<T> {
    /// Returns the field as use cases take it: `None` for an absent one, `Some(None)` for `null`.
    #[expect(clippy::option_option, reason = "use cases tell an absent field from one that is null")]
    pub(crate) fn sent(self) -> Option<Option<T>> {
        match self {
            Self::Absent => None,
            Self::Null => Some(None),
            Self::Value(value) => Some(Some(value)),
        }
    }
}

impl<T: BodyValue> BodyField for Nullable<T> {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        match value {
            None => Self::Absent,
            Some(Value::Null) => Self::Null,
            Some(value) => T::shape(value, path, problems).map_or(Self::Absent, Self::Value),
        }
    }
}

/// One string or an array of strings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StringList(pub(crate) Vec<String>);

impl BodyValue for StringList {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        // The substitute is an empty string. As a label it is invalid too, but one path gets only one problem.
        Some(Self(one_or_many(value, path, problems, |text, _, _| Some(text), |place| place.map(|_| String::new()))))
    }
}

/// Required list of strings.
impl BodyField for StringList {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        required(value, path, problems)
    }
}

/// Message ids, with or without angle brackets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MessageIds(pub(crate) Vec<MessageId>);

impl BodyValue for MessageIds {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let any = |place: Option<usize>| Some(MessageId::stored(format!("<{}@unread.invalid>", place.unwrap_or(0))));
        Some(Self(one_or_many(value, path, problems, |text, _, _| Some(path::message_id(&text)), any)))
    }
}

impl BodyField for MessageIds {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        required(value, path, problems)
    }
}

/// Attachment ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AttachmentIds(pub(crate) Vec<AttachmentId>);

impl BodyValue for AttachmentIds {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let id = |text: String, path: &str, problems: &mut BodyProblems| {
            let id = text.parse().ok();
            if id.is_none() {
                problems.note(path, "is not the attachment_id of an attachment");
            }
            id
        };
        Some(Self(one_or_many(value, path, problems, id, |_| None)))
    }
}

/// Inbox ids, in any letter case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InboxIds(pub(crate) Vec<InboxId>);

impl BodyValue for InboxIds {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        Some(Self(one_or_many(value, path, problems, |text, _, _| Some(path::inbox_id(&text)), |_| None)))
    }
}

/// Point in time, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp(pub(crate) OffsetDateTime);

impl BodyValue for Timestamp {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let time = instant(&String::shape(value, path, problems)?).map(Self);
        if time.is_none() {
            problems.note(path, "must be a date and time as in 2026-11-20T10:00:00Z (RFC 3339)");
        }
        time
    }
}

/// Reads a required value.
pub(super) fn required<T: BodyValue + Default>(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> T {
    match value {
        None | Some(Value::Null) => {
            problems.note(path, "is required");
            T::default()
        }
        Some(value) => T::shape(value, path, problems).unwrap_or_default(),
    }
}

/// Records a value of the wrong type.
pub(super) fn mismatch<T>(wanted: &str, given: &Value, path: &str, problems: &mut BodyProblems) -> Option<T> {
    let kind = match given {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    problems.note(path, format!("must be {wanted}, not {kind}"));
    None
}

/// Reads a string or an array of strings, each with `each`.
///
/// A problem names the index in the array. `instead` supplies the substitute of the element at that index, or of the
/// whole field without an index.
pub(super) fn one_or_many<T>(
    value: Value,
    path: &str,
    problems: &mut BodyProblems,
    each: impl Fn(String, &str, &mut BodyProblems) -> Option<T>,
    instead: impl Fn(Option<usize>) -> Option<T>,
) -> Vec<T> {
    let values = match value {
        Value::String(text) => return each(text, path, problems).or_else(|| instead(None)).into_iter().collect(),
        Value::Array(values) => values,
        other => {
            mismatch::<()>("a string or an array of strings", &other, path, problems);
            return instead(None).into_iter().collect();
        }
    };
    let mut read = Vec::with_capacity(values.len().min(1024));
    for (place, value) in values.into_iter().enumerate() {
        let path = format!("{path}[{place}]");
        let one = String::shape(value, &path, problems).and_then(|text| each(text, &path, problems));
        read.extend(one.or_else(|| instead(Some(place))));
    }
    read
}

/// Returns the schema of a string or an array of strings.
pub(super) fn one_or_many_schema(what: &str) -> RefOr<Schema> {
    one_or_many_of(what, 0)
}

/// Returns the schema of a string or an array of at least `least` strings.
fn one_or_many_of(what: &str, least: usize) -> RefOr<Schema> {
    let string = || ObjectBuilder::new().schema_type(Type::String);
    let strings = ArrayBuilder::new().items(string()).min_items((least > 0).then_some(least));
    OneOfBuilder::new().item(string()).item(strings).description(Some(what)).into()
}

impl PartialSchema for StringList {
    fn schema() -> RefOr<Schema> {
        one_or_many_schema("One string, or an array of strings.")
    }
}

impl ToSchema for StringList {
    fn name() -> Cow<'static, str> {
        "Strings".into()
    }
}

impl PartialSchema for MessageIds {
    fn schema() -> RefOr<Schema> {
        one_or_many_of("Message ids, with or without angle brackets.", 1)
    }
}

impl ToSchema for MessageIds {}

impl PartialSchema for AttachmentIds {
    fn schema() -> RefOr<Schema> {
        one_or_many_schema("Attachment ids.")
    }
}

impl ToSchema for AttachmentIds {}

impl PartialSchema for InboxIds {
    fn schema() -> RefOr<Schema> {
        one_or_many_schema("Inbox ids.")
    }
}

impl ToSchema for InboxIds {}

impl PartialSchema for Timestamp {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some("A date and time with any offset (RFC 3339)."))
            .into()
    }
}

impl ToSchema for Timestamp {}
