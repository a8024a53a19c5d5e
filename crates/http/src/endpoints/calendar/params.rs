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

/// Window of an agenda.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AgendaParams {
    /// Start of the window, inclusive; by default the time of the request.
    #[param(format = DateTime)]
    after: Option<String>,
    /// End of the window, exclusive; by default 90 days after its start, and at most 366 days after it.
    #[param(format = DateTime)]
    before: Option<String>,
    /// Whether dates that began before the window and last into it are included.
    #[param(default = false)]
    include_overlapping: Option<bool>,
}
