//! OpenAPI schemas of constrained strings, used as the `value_type` of a field.
//!
//! The fields are read as strings; `inboxd_core::rules::names` validates them.

use inboxd_core::model::EventType;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// Declares the schema of a string: its minimum and maximum length and its pattern.
macro_rules! texts {
    ($($(#[doc = $what:literal])+ $name:ident: $least:literal..=$most:literal, $pattern:literal;)+) => {$(
        $(#[doc = $what])+
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .min_length(Some($least))
                    .max_length(Some($most))
                    .pattern(Some($pattern))
                    .description(Some(concat!($($what),+).trim_start()))
                    .into()
            }
        }

        impl ToSchema for $name {}
    )+};
}

/// Role that a member can be assigned.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it is read as a string")]
pub(crate) enum GivenRole {
    Admin,
    Member,
}

/// Names of event types. They are read as strings, so that an unknown type gets an error of its own.
pub(crate) struct EventTypeNames;

impl PartialSchema for EventTypeNames {
    fn schema() -> RefOr<Schema> {
        event_type_names(0)
    }
}

impl ToSchema for EventTypeNames {}

/// Names of event types, at least one.
pub(crate) struct SomeEventTypeNames;

impl PartialSchema for SomeEventTypeNames {
    fn schema() -> RefOr<Schema> {
        event_type_names(1)
    }
}

impl ToSchema for SomeEventTypeNames {}

fn event_type_names(least: usize) -> RefOr<Schema> {
    let name = || {
        let names = EventType::known().map(EventType::as_str);
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names))
    };
    let names = ArrayBuilder::new().items(name()).min_items((least > 0).then_some(least));
    OneOfBuilder::new()
        .item(name())
        .item(names)
        .description(Some("Event types: one string, or an array of strings."))
        .into()
}

texts! {
    /// Idempotency key of a creation.
    ClientId: 1..=256, r"^[A-Za-z0-9._~-]+$";
    /// Display name: not blank, without control characters.
    DisplayName: 1..=200, r"^[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*$";
    /// Text of a note: not blank.
    NoteText: 1..=10000, r"^[^\u0000]*[^\s\u0000][^\u0000]*$";
    /// Reason of a release, or notes of feedback: not blank.
    QuarantineText: 1..=2048, r"^[^\u0000]*[^\s\u0000][^\u0000]*$";
    /// Reason of a list entry.
    Reason: 0..=1000, r"^[^\u0000]*$";
    /// Local part of the address of an inbox. Some names are reserved (RFC 2142).
    Username: 1..=64, r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$";
}
