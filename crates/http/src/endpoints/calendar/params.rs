//! Query parameters and headers of calendars.

use time::OffsetDateTime;
use utoipa::IntoParams;

use crate::query::formats::{choice, date_time, flag};
use crate::query::query_params;

query_params! {
    /// Consistency of a read.
    #[expect(dead_code, reason = "the word is checked and changes nothing")]
    pub(crate) struct ConsistencyParams {
        /// Accepted for compatible clients: every read is of the latest state.
        consistency: Option<()> = choice([("eventual", ()), ("primary", ())]),
    }
}

query_params! {
    /// Window of time.
    pub(crate) struct WindowParams {
        /// Start of the window, inclusive; by default the time of the request.
        after: Option<OffsetDateTime> = date_time(),
        /// End of the window, exclusive; by default 90 days after its start, and at most 366 days after it.
        before: Option<OffsetDateTime> = date_time(),
    }
}

query_params! {
    /// Dates of an agenda.
    pub(crate) struct AgendaParams {
        /// Whether dates that began before the window and last into it are included.
        include_overlapping: bool = flag(),
    }
}

query_params! {
    /// Dates that a change concerns.
    #[expect(dead_code, reason = "the word is checked and changes nothing")]
    pub(crate) struct ModeParams {
        /// With a dated id, the dates to change: only that one. All later ones change with the `recurrence` of the event.
        mode: Option<()> = choice([("single", ())]),
    }
}

query_params! {
    /// Mail about a deletion.
    pub(crate) struct DeleteEventParams {
        /// Whether the attendees are told by mail. Only the organizer can do so.
        send_invites: bool = flag(),
    }
}

/// Condition of a change.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "this struct only describes a header")]
pub(crate) struct IfMatchParams {
    /// The `etag` that the resource must have, or `*`. Any other answers 412 and changes nothing.
    #[param(rename = "If-Match", example = "\"rv-1\"")]
    if_match: Option<String>,
}
