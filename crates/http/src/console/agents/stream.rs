//! `GET /console/events/stream`: Server-Sent Events for the pages of a person, by the cookie of the session.

use inboxd_core::app::events::EventFilter;
use inboxd_core::app::feed::FeedCredential;
use inboxd_core::model::BrowserSession;

use crate::console::call::{ConsoleCall, PageResult};
use crate::endpoints::events::{follow, list};
use crate::path;

/// Streams the events that the person may see, until the session or the membership ends.
pub(super) async fn follow(call: &ConsoleCall) -> PageResult {
    // A browser that connects again by itself sends the header; a page that connects again sends the parameter.
    let after = call.request().headers().get("last-event-id").and_then(|id| id.to_str().ok());
    let after = after.filter(|id| !id.trim().is_empty()).or_else(|| call.query.one("last_event_id"));
    let after = after.map(list::event_id).transpose()?;
    let credential = FeedCredential::Session {
        token_hash: BrowserSession::hash(call.browser().token()),
        organization_id: call.caller.organization.organization_id,
    };
    let inbox_id = call.query.one("inbox_id").map(path::inbox_id);
    let event_types = call.query.all("event_types").map(ToOwned::to_owned).collect();
    follow::stream(call, credential, EventFilter { event_types, inbox_id, ..EventFilter::default() }, after).await
}
