//! `…/calendar`: events of an inbox.

pub(crate) mod agenda;
pub(crate) mod event;
pub(crate) mod events;
pub(crate) mod get;
pub(crate) mod instances;
mod params;

use inboxd_core::app::calendar::AgendaWindow;

use crate::auth::AuthenticatedRequest;
use crate::path;
use crate::query::QueryReader;

/// Consistency that clients may name: every read is of the latest state.
const CONSISTENCY: [&str; 2] = ["eventual", "primary"];

/// The event of the path.
fn event_of(call: &AuthenticatedRequest) -> String {
    path::value(call.request(), "event_id")
}

/// Reads the window of an agenda.
fn window(query: &mut QueryReader) -> AgendaWindow {
    query.word("consistency", &CONSISTENCY);
    AgendaWindow {
        after: query.time("after"),
        before: query.time("before"),
        include_overlapping: query.flag("include_overlapping"),
    }
}
