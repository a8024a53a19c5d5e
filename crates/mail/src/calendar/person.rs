//! Organizers and attendees.

use serde::{Deserialize, Serialize};

use super::content_lines::ContentLine;
use crate::address::EmailAddress;
use crate::sanitize;

/// Maximum length of a name in characters.
const MAX_NAME_CHARS: usize = 256;

/// Response of an attendee.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttendeeStatus {
    /// No response yet, or one that passed the invitation on.
    #[default]
    NeedsAction,
    /// Will attend.
    Accepted,
    /// Will not attend.
    Declined,
    /// May attend.
    Tentative,
}

impl AttendeeStatus {
    /// All responses.
    pub const ALL: [Self; 4] = [Self::NeedsAction, Self::Accepted, Self::Declined, Self::Tentative];

    /// Returns the name in the API, such as `needs_action`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NeedsAction => "needs_action",
            Self::Accepted => "accepted",
            Self::Declined => "declined",
            Self::Tentative => "tentative",
        }
    }
}

/// Whether the presence of an attendee is required.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttendeeRole {
    /// Required.
    #[default]
    Required,
    /// Optional, or copied for information.
    Optional,
}

impl AttendeeRole {
    /// All roles.
    pub const ALL: [Self; 2] = [Self::Required, Self::Optional];

    /// Returns the name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Optional => "optional",
        }
    }
}

/// An address with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarPerson {
    /// Address in lower case.
    pub email: String,
    /// Display name of at most 256 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// An attendee with the response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarAttendee {
    /// Address and name.
    #[serde(flatten)]
    pub person: CalendarPerson,
    /// Response.
    pub status: AttendeeStatus,
    /// Role.
    pub role: AttendeeRole,
    /// Comment on the response, at most 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Time of the response in Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responded_at: Option<i64>,
}

/// Reads the person of a property; `None` without a mail address.
pub(super) fn person(line: &ContentLine<'_>) -> Option<CalendarPerson> {
    let uri = line.value.trim();
    let address = uri.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:")).and_then(|_| uri.get(7..));
    // Some programs write the URL of a principal and the address beside it.
    let email = address.unwrap_or(uri).parse().or_else(|_| line.parameter("EMAIL").unwrap_or_default().parse());
    let email: EmailAddress = email.ok()?;
    let name = line.parameter("CN").map(|name| bounded_line(&name, MAX_NAME_CHARS));
    let email = email.normalized();
    Some(CalendarPerson { name: name.filter(|name| !name.is_empty() && *name != email), email })
}

/// Reads an attendee; `None` without a mail address.
pub(super) fn attendee(line: &ContentLine<'_>) -> Option<CalendarAttendee> {
    let status = match line.parameter("PARTSTAT").unwrap_or_default().to_ascii_uppercase().as_str() {
        "ACCEPTED" => AttendeeStatus::Accepted,
        "DECLINED" => AttendeeStatus::Declined,
        "TENTATIVE" => AttendeeStatus::Tentative,
        _ => AttendeeStatus::NeedsAction,
    };
    let is_optional = line.has("ROLE", "OPT-PARTICIPANT") || line.has("ROLE", "NON-PARTICIPANT");
    let role = if is_optional { AttendeeRole::Optional } else { AttendeeRole::Required };
    Some(CalendarAttendee { person: person(line)?, status, role, comment: None, responded_at: None })
}

/// Returns a text on one line with at most `limit` characters.
pub(super) fn bounded_line(text: &str, limit: usize) -> String {
    let line = sanitize::single_line(text);
    match line.char_indices().nth(limit) {
        Some((end, _)) => sanitize::truncate(&line, end).trim_end().to_owned(),
        None => line,
    }
}
