//! Fields of events of calendars.

use inboxd_core::app::calendar::{DurationMode, NewRecurrence};
use inboxd_mail::{AttendeeRole, AttendeeStatus, CalendarAttendee, CalendarPerson, EntryStatus};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::fields::mismatch;
use super::{BodyField, BodyProblems, BodyRequest, BodyValue, Timestamp, request};

/// Declares a word of a request: its value, and the values that a request may name.
macro_rules! words {
    ($($(#[doc = $what:literal])+ $name:ident: $value:ident = $all:expr;)+) => {$(
        $(#[doc = $what])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) $value);

        impl BodyValue for $name {
            fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
                let word = String::shape(value, path, problems)?;
                let found = $all.into_iter().find(|one| one.as_str() == word);
                if found.is_none() {
                    problems.note(path, format!("must be one of {}", $all.map($value::as_str).join(", ")));
                }
                found.map(Self)
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .enum_values(Some($all.map($value::as_str)))
                    .description(Some(concat!($($what),+).trim_start()))
                    .into()
            }
        }

        impl ToSchema for $name {}
    )+};
}

words! {
    /// Whether an event takes place.
    EventStatusName: EntryStatus = EntryStatus::ALL;
    /// Length of the dates: `nominal` for a recurring event, `exact` for another one.
    DurationModeName: DurationMode = DurationMode::ALL;
    /// Response of an attendee.
    AttendeeStatusName: AttendeeStatus = AttendeeStatus::ALL;
    /// Whether an attendee is required.
    AttendeeRoleName: AttendeeRole = AttendeeRole::ALL;
    /// Response of the inbox to an invitation.
    ResponseName: AttendeeStatus = [AttendeeStatus::Accepted, AttendeeStatus::Declined, AttendeeStatus::Tentative];
}

/// Required response.
impl BodyField for ResponseName {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        let value = value.unwrap_or(Value::Null);
        Self::shape(value, path, problems).unwrap_or(Self(AttendeeStatus::Declined))
    }
}

/// Any JSON.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnyJson(pub(crate) Value);

impl BodyValue for AnyJson {
    fn shape(value: Value, _: &str, _: &mut BodyProblems) -> Option<Self> {
        Some(Self(value))
    }
}

request! {
    /// Attendee of an event.
    pub(crate) struct EventAttendee {
        /// Mail address; each at most once.
        email: String,
        /// Display name.
        #[schema(max_length = 256)]
        name: Option<String>,
        /// Response; `needs_action` by default.
        #[schema(value_type = Option<AttendeeStatusName>)]
        status: Option<AttendeeStatusName>,
        /// Role; `required` by default.
        #[schema(value_type = Option<AttendeeRoleName>)]
        role: Option<AttendeeRoleName>,
        /// Comment on the response; one of more than 4,096 bytes is dropped.
        comment: Option<String>,
        /// Time of the response.
        #[schema(value_type = Option<Timestamp>)]
        responded_at: Option<Timestamp>,
    }
}

request! {
    /// Recurrence of an event (RFC 5545).
    pub(crate) struct EventRecurrence {
        /// Rule, with or without the prefix `RRULE:`. FREQ is `DAILY`, `WEEKLY`, `MONTHLY` or `YEARLY`; the first date is
        /// `start`.
        #[schema(example = "FREQ=WEEKLY;BYDAY=TH")]
        rule: String,
        /// Excluded dates, by their local start; at most 366.
        #[schema(value_type = Option<Vec<String>>, max_items = 366)]
        exdates: Option<EventDates>,
        /// Added dates, by their local start; at most 100. Each has the length of the event.
        #[schema(value_type = Option<Vec<String>>, max_items = 100)]
        rdates: Option<EventDates>,
    }
}

/// Attendees of an event.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventAttendees(pub(crate) Vec<CalendarAttendee>);

/// Local starts of dates.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventDates(Vec<String>);

/// Recurrence of an event.
#[derive(Debug, Clone)]
pub(crate) struct RecurrenceField(pub(crate) NewRecurrence);

/// Reads an object within a request.
fn nested<T: BodyRequest>(value: Value, path: &str, problems: &mut BodyProblems) -> Option<T> {
    let Value::Object(mut object) = value else { return mismatch("an object", &value, path, problems) };
    let mut inner = BodyProblems::default();
    let read = T::take(&mut object, &mut inner);
    let is_whole = inner.found.is_empty();
    for problem in inner.found {
        problems.note(&format!("{path}.{}", problem.path), problem.message);
    }
    for name in object.keys() {
        problems.ignore(&format!("{path}.{name}"));
    }
    is_whole.then_some(read)
}

/// Reads the elements of an array, without those that cannot be read.
fn array<T>(
    value: Value,
    path: &str,
    problems: &mut BodyProblems,
    each: impl Fn(Value, &str, &mut BodyProblems) -> Option<T>,
) -> Option<Vec<T>> {
    let Value::Array(values) = value else { return mismatch("an array", &value, path, problems) };
    let read = values.into_iter().enumerate();
    Some(read.filter_map(|(place, value)| each(value, &format!("{path}[{place}]"), problems)).collect())
}

impl BodyValue for EventDates {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        array(value, path, problems, String::shape).map(Self)
    }
}

impl BodyValue for EventAttendees {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let attendee = |value: Value, path: &str, problems: &mut BodyProblems| {
            let EventAttendee { email, name, status, role, comment, responded_at } = nested(value, path, problems)?;
            Some(CalendarAttendee {
                person: CalendarPerson { email, name },
                status: status.map(|status| status.0).unwrap_or_default(),
                role: role.map(|role| role.0).unwrap_or_default(),
                comment,
                responded_at: responded_at.map(|at| at.0.unix_timestamp()),
            })
        };
        array(value, path, problems, attendee).map(Self)
    }
}

impl BodyValue for RecurrenceField {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let EventRecurrence { rule, exdates, rdates } = nested(value, path, problems)?;
        let dates = |dates: Option<EventDates>| dates.unwrap_or_default().0;
        Some(Self(NewRecurrence { rule, exdates: dates(exdates), rdates: dates(rdates) }))
    }
}
