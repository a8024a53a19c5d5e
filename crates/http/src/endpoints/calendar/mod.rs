//! `…/calendar`: events of an inbox.

pub(crate) mod agenda;
pub(crate) mod close_feed;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod event;
pub(crate) mod events;
pub(crate) mod feed;
pub(crate) mod free_busy;
pub(crate) mod get;
pub(crate) mod instances;
pub(crate) mod open_feed;
mod params;
pub(crate) mod respond;
pub(crate) mod settings;
pub(crate) mod update;

use actix_web::http::StatusCode;
use actix_web::http::header::IF_MATCH;
use actix_web::web::Json;
use inboxd_core::app::calendar::{AgendaWindow, ChangedEvent};

use self::params::{AgendaParams, ConsistencyParams, WindowParams};
use crate::auth::AuthenticatedRequest;
use crate::error::ApiError;
use crate::path;
use crate::query::QueryReader;
use crate::views::ChangedEventView;

/// Result of a handler that changes an event.
type MutationResult = Result<(Json<ChangedEventView>, StatusCode), ApiError>;

/// The event of the path.
fn event_of(call: &AuthenticatedRequest) -> String {
    path::value(call.request(), "event_id")
}

/// The version that the header `If-Match` names. A text that no header may have names none.
fn if_match(call: &AuthenticatedRequest) -> Option<String> {
    call.request().headers().get(IF_MATCH).map(|value| value.to_str().unwrap_or_default().to_owned())
}

/// Returns the response to a change, and the status of one whose mail is held.
fn answer(changed: ChangedEvent) -> (ChangedEventView, Option<StatusCode>) {
    let is_held = changed.sent.as_ref().is_some_and(|sent| sent.held.is_some());
    (changed.into(), is_held.then_some(StatusCode::ACCEPTED))
}

/// Reads the window of an agenda.
fn agenda_window(query: &mut QueryReader) -> AgendaWindow {
    let AgendaParams { include_overlapping } = AgendaParams::read(query);
    AgendaWindow { include_overlapping, ..window(query) }
}

/// Reads a window.
fn window(query: &mut QueryReader) -> AgendaWindow {
    ConsistencyParams::read(query);
    let WindowParams { after, before } = WindowParams::read(query);
    AgendaWindow { after, before, include_overlapping: false }
}
