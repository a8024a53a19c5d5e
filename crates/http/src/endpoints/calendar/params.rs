//! Query parameters of calendars as the OpenAPI document lists them.
#![expect(dead_code, reason = "these structs only describe parameters")]

use utoipa::IntoParams;

/// Consistency of a read.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConsistencyParams {
    /// Accepted for compatible clients: every read is of the latest state.
    #[param(inline)]
    consistency: Option<ConsistencyWord>,
}

/// Consistency of a read.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum ConsistencyWord {
    Eventual,
    Primary,
}

/// Window of time.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WindowParams {
    /// Start of the window, inclusive; by default the time of the request.
    #[param(format = DateTime)]
    after: Option<String>,
    /// End of the window, exclusive; by default 90 days after its start, and at most 366 days after it.
    #[param(format = DateTime)]
    before: Option<String>,
}

/// Dates of an agenda.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AgendaParams {
    /// Whether dates that began before the window and last into it are included.
    #[param(default = false)]
    include_overlapping: Option<bool>,
}

/// Condition of a change.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct IfMatchParams {
    /// The `etag` that the resource must have, or `*`. Any other answers 412 and changes nothing.
    #[param(rename = "If-Match", example = "\"rv-1\"")]
    if_match: Option<String>,
}

/// Dates that a change concerns.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ModeParams {
    /// With a dated id, the dates to change: only that one. All later ones change with the `recurrence` of the event.
    #[param(inline)]
    mode: Option<ModeWord>,
}

/// Dates that a change concerns.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum ModeWord {
    Single,
}

/// Mail about a deletion.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeleteEventParams {
    /// Whether the attendees are told by mail. Only the organizer can do so.
    #[param(default = false)]
    send_invites: Option<bool>,
}
