//! Endpoints: one file each with request, OpenAPI description and handler, in folders like the URLs.

pub(crate) mod account;
pub(crate) mod accounts;
pub(crate) mod api_keys;
pub(crate) mod apps;
pub(crate) mod audit;
pub(crate) mod billing;
pub(crate) mod calendar;
pub(crate) mod connections;
pub(crate) mod contacts;
pub(crate) mod docs;
pub(crate) mod domains;
pub(crate) mod downloads;
pub(crate) mod drafts;
pub(crate) mod events;
pub(crate) mod files;
pub(crate) mod inboxes;
pub(crate) mod label_history;
pub(crate) mod legal_holds;
pub(crate) mod lists;
pub(crate) mod members;
pub(crate) mod messages;
pub(crate) mod metrics;
pub(crate) mod notes;
pub(crate) mod operations;
pub(crate) mod pods;
pub(crate) mod policies;
pub(crate) mod polling;
pub(crate) mod providers;
pub(crate) mod socket;
pub(crate) mod suppressions;
pub(crate) mod threads;
pub(crate) mod trace;
pub(crate) mod webhooks;

use actix_web::HttpResponse;
use actix_web::web::Json;

use crate::error::ApiError;

/// Result of a handler with a JSON response.
pub(crate) type JsonResult<T> = Result<Json<T>, ApiError>;
/// Result of a handler that deletes: 204 without a body.
pub(crate) type NoContent = Result<HttpResponse, ApiError>;

/// Returns the response to a deletion.
pub(crate) fn no_content() -> HttpResponse {
    HttpResponse::NoContent().finish()
}
