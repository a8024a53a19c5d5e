//! Fields of events that clients write, and their checks.

use std::collections::BTreeSet;

use inboxd_mail::{
    CalendarAttendee, EmailAddress, EntryRecurrence, EntryStatus, EntryTimes, EventFieldError, check_recurrence,
    check_times,
};
use serde_json::Value;

use crate::FieldError;
use crate::model::CalendarEvent;
use crate::rules::names;

/// Maximum length of a title, a location and a name in characters.
const MAX_TITLE_CHARS: usize = 1_000;
const MAX_LOCATION_CHARS: usize = 1_024;
const MAX_NAME_CHARS: usize = 256;
/// Maximum length of a description, of JSON metadata, and of all texts of an event in bytes.
const MAX_DESCRIPTION_BYTES: usize = 8_192;
const MAX_METADATA_BYTES: usize = 16_384;
/// Maximum nesting of the metadata, which events contain: their readers accept about twice as much.
const MAX_METADATA_DEPTH: usize = 64;
const MAX_EVENT_BYTES: usize = 32 * 1024;
/// Maximum length of a comment in bytes; a longer one is dropped.
pub(in crate::app) const MAX_COMMENT_BYTES: usize = 4_096;
/// Maximum number of attendees.
const MAX_ATTENDEES: usize = 100;

/// Whether dates keep their length on the clock, or their exact length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DurationMode {
    /// On the clock, as all dates of recurring events do.
    Nominal,
    /// Exact, as all other events do.
    Exact,
}

impl DurationMode {
    /// Both modes.
    pub const ALL: [Self; 2] = [Self::Nominal, Self::Exact];

    /// Returns the name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nominal => "nominal",
            Self::Exact => "exact",
        }
    }
}

/// Recurrence as a client writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewRecurrence {
    /// Rule, with or without the prefix `RRULE:`.
    pub rule: String,
    /// Excluded dates.
    pub exdates: Vec<String>,
    /// Added dates.
    pub rdates: Vec<String>,
}

/// New event.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Title.
    pub title: String,
    /// Local start, or the first day.
    pub start: String,
    /// Local end, or the last day.
    pub end: String,
    /// Key with which a repeat returns the event created before.
    pub client_id: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Location.
    pub location: Option<String>,
    /// JSON of the client, which no attendee sees.
    pub metadata: Option<Value>,
    /// Whether it takes place.
    pub status: EntryStatus,
    /// Whether it lasts whole days.
    pub all_day: bool,
    /// Time zone; `None` for that of the calendar.
    pub timezone: Option<String>,
    /// Length of its dates.
    pub duration_mode: Option<DurationMode>,
    /// Recurrence.
    pub recurrence: Option<NewRecurrence>,
    /// Attendees.
    pub attendees: Vec<CalendarAttendee>,
    /// Whether they are invited by mail.
    pub send_invites: bool,
}

/// Change of an event, or of one date of a recurring one; `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventChange {
    /// Title.
    pub title: Option<String>,
    /// Description; `Some(None)` removes it.
    pub description: Option<Option<String>>,
    /// Location; `Some(None)` removes it.
    pub location: Option<Option<String>>,
    /// JSON of the client; `Some(None)` removes it.
    pub metadata: Option<Option<Value>>,
    /// Whether it takes place.
    pub status: Option<EntryStatus>,
    /// Whether it lasts whole days.
    pub all_day: Option<bool>,
    /// Local start, or the first day.
    pub start: Option<String>,
    /// Local end, or the last day.
    pub end: Option<String>,
    /// Time zone.
    pub timezone: Option<String>,
    /// Length of its dates.
    pub duration_mode: Option<DurationMode>,
    /// Recurrence; `Some(None)` leaves one date.
    pub recurrence: Option<Option<NewRecurrence>>,
    /// All attendees.
    pub attendees: Option<Vec<CalendarAttendee>>,
    /// Whether they are told by mail.
    pub send_invites: bool,
}

/// Validates the fields of a new event.
#[must_use]
pub fn problems_of_new(new: &NewEvent) -> Vec<FieldError> {
    let mut problems = problems_of_texts(Texts {
        title: Some(&new.title),
        description: new.description.as_deref(),
        location: new.location.as_deref(),
        metadata: new.metadata.as_ref(),
        attendees: &new.attendees,
    });
    let client_id = new.client_id.as_deref().map(names::validate_client_id);
    problems.extend(client_id.and_then(Result::err).map(|message| FieldError::new("client_id", message)));
    problems.extend(schedule_of(new, new.timezone.as_deref().unwrap_or("UTC")).err());
    problems
}

/// Validates the fields of a change that need no knowledge of the event.
#[must_use]
pub fn problems_of_event_change(change: &EventChange) -> Vec<FieldError> {
    problems_of_texts(Texts {
        title: change.title.as_deref(),
        description: change.description.as_ref().and_then(Option::as_deref),
        location: change.location.as_ref().and_then(Option::as_deref),
        metadata: change.metadata.as_ref().and_then(Option::as_ref),
        attendees: change.attendees.as_deref().unwrap_or_default(),
    })
}

#[derive(Clone, Copy)]
struct Texts<'a> {
    title: Option<&'a str>,
    description: Option<&'a str>,
    location: Option<&'a str>,
    metadata: Option<&'a Value>,
    attendees: &'a [CalendarAttendee],
}

fn problems_of_texts(texts: Texts<'_>) -> Vec<FieldError> {
    let Texts { title, description, location, metadata, attendees } = texts;
    let mut problems = Vec::new();
    if metadata.is_some_and(|metadata| depth(metadata) > MAX_METADATA_DEPTH) {
        problems.push(FieldError::new("metadata", format!("is nested at most {MAX_METADATA_DEPTH} deep")));
    }
    let metadata = metadata.map(Value::to_string);
    if title.is_some_and(|title| title.trim().is_empty() || !is_line(title, MAX_TITLE_CHARS)) {
        problems.push(FieldError::new("title", "has 1 to 1,000 characters on one line"));
    }
    if location.is_some_and(|location| !is_line(location, MAX_LOCATION_CHARS)) {
        problems.push(FieldError::new("location", "has at most 1,024 characters on one line"));
    }
    if description.is_some_and(|text| text.len() > MAX_DESCRIPTION_BYTES || has_controls(text)) {
        let message = format!("has at most {MAX_DESCRIPTION_BYTES} bytes without control characters");
        problems.push(FieldError::new("description", message));
    }
    if metadata.as_ref().is_some_and(|text| text.len() > MAX_METADATA_BYTES || text.contains("\\u0000")) {
        let message = format!("has at most {MAX_METADATA_BYTES} bytes of JSON without the character U+0000");
        problems.push(FieldError::new("metadata", message));
    }
    problems.extend(problems_of_attendees(attendees));
    let comments: usize = attendees.iter().filter_map(|one| one.comment.as_ref()).map(String::len).sum();
    let texts = description.map_or(0, str::len) + metadata.map_or(0, |text| text.len());
    if comments + texts > MAX_EVENT_BYTES {
        problems.push(too_many_bytes("attendees"));
    }
    problems
}

/// Returns the nesting of a value, which the reader of the request has bounded.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn too_many_bytes(field: &str) -> FieldError {
    let message =
        format!("an event has at most {MAX_EVENT_BYTES} bytes of description, metadata and comments together");
    FieldError::new(field, message)
}

/// Refuses a change after which the texts of an event are too large together. An event of an invitation may be larger, so
/// a change that adds nothing is not refused.
pub(super) fn require_event_bytes(before: &CalendarEvent, after: &CalendarEvent) -> Result<(), FieldError> {
    let (old, new) = (TextBytes::of(before), TextBytes::of(after));
    if new.sum() <= MAX_EVENT_BYTES || new.sum() <= old.sum() {
        return Ok(());
    }
    let grown = [("attendees", new.comments > old.comments), ("metadata", new.metadata > old.metadata)];
    let field = grown.into_iter().find_map(|(field, has_grown)| has_grown.then_some(field));
    Err(too_many_bytes(field.unwrap_or("description")))
}

/// Bytes of the texts of an event.
struct TextBytes {
    description: usize,
    metadata: usize,
    comments: usize,
}

impl TextBytes {
    fn of(event: &CalendarEvent) -> Self {
        let comments = event.entry.attendees.iter().filter_map(|one| one.comment.as_ref());
        Self {
            description: event.entry.description.as_ref().map_or(0, String::len),
            metadata: event.metadata.as_ref().map_or(0, |metadata| metadata.to_string().len()),
            comments: comments.map(String::len).sum(),
        }
    }

    fn sum(&self) -> usize {
        self.description + self.metadata + self.comments
    }
}

fn problems_of_attendees(attendees: &[CalendarAttendee]) -> Vec<FieldError> {
    let mut problems = Vec::new();
    if attendees.len() > MAX_ATTENDEES {
        problems.push(FieldError::new("attendees", format!("an event has at most {MAX_ATTENDEES} attendees")));
        return problems;
    }
    let mut known: BTreeSet<String> = BTreeSet::new();
    for (place, attendee) in attendees.iter().enumerate() {
        let person = &attendee.person;
        match person.email.parse::<EmailAddress>() {
            Err(error) => problems.push(FieldError::new(format!("attendees[{place}].email"), error.to_string())),
            Ok(address) if !known.insert(address.normalized()) => {
                problems.push(FieldError::new(format!("attendees[{place}].email"), "is there twice"));
            }
            Ok(_) => {}
        }
        if person.name.as_deref().is_some_and(|name| !is_line(name, MAX_NAME_CHARS)) {
            problems
                .push(FieldError::new(format!("attendees[{place}].name"), "has at most 256 characters on one line"));
        }
        if attendee.comment.as_deref().is_some_and(has_controls) {
            problems.push(FieldError::new(format!("attendees[{place}].comment"), "contains a control character"));
        }
    }
    problems
}

fn is_line(text: &str, limit: usize) -> bool {
    text.chars().count() <= limit && !text.chars().any(char::is_control)
}

fn has_controls(text: &str) -> bool {
    text.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r'))
}

/// Returns the attendees as they are stored.
pub(super) fn stored(attendees: Vec<CalendarAttendee>) -> Vec<CalendarAttendee> {
    let one = |mut attendee: CalendarAttendee| {
        if let Ok(address) = attendee.person.email.parse::<EmailAddress>() {
            attendee.person.email = address.normalized();
        }
        attendee.person.name = nonempty(attendee.person.name);
        attendee.comment = nonempty(attendee.comment).filter(|comment| comment.len() <= MAX_COMMENT_BYTES);
        attendee
    };
    attendees.into_iter().map(one).collect()
}

pub(super) fn nonempty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// Times of an event, with their recurrence.
pub(super) type Schedule = (EntryTimes, Option<EntryRecurrence>);

pub(super) fn schedule_of(new: &NewEvent, zone: &str) -> Result<Schedule, FieldError> {
    schedule((new.all_day, &new.start, &new.end, zone), new.recurrence.as_ref(), new.duration_mode)
}

/// Checks times, recurrence and mode.
pub(super) fn schedule(
    (all_day, start, end, zone): (bool, &str, &str, &str),
    recurrence: Option<&NewRecurrence>,
    mode: Option<DurationMode>,
) -> Result<Schedule, FieldError> {
    require_mode(mode, recurrence.is_some())?;
    let field = |error: EventFieldError| FieldError::new(error.field, error.reason);
    let times = check_times(all_day, start, end, zone, recurrence.is_some()).map_err(field)?;
    let recurrence = match recurrence {
        Some(NewRecurrence { rule, exdates, rdates }) => {
            Some(check_recurrence(&times, rule, exdates.clone(), rdates.clone()).map_err(field)?)
        }
        None => None,
    };
    Ok((times, recurrence))
}

/// Refuses a mode other than the one that the event has.
pub(super) fn require_mode(mode: Option<DurationMode>, repeats: bool) -> Result<(), FieldError> {
    let own = if repeats { DurationMode::Nominal } else { DurationMode::Exact };
    match mode {
        Some(mode) if mode != own => {
            let message =
                format!("must be {} for this event: a recurring one is nominal, another one exact", own.as_str());
            Err(FieldError::new("duration_mode", message))
        }
        _ => Ok(()),
    }
}
