//! `/console/inboxes/{inbox_id}/trace`: timeline of an inbox or of one message.

use askama::Template;
use inboxd_core::app::trace::{self, TraceFilter};
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::model::{InboxId, TraceEntry};
use inboxd_core::rules::trace_summary;

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::endpoints;

#[derive(Template)]
#[template(path = "console/trace.html")]
struct TracePage {
    frame: Frame,
    inbox: String,
    /// Filters of the form.
    message_id: String,
    with: String,
    entries: Vec<EntryRow>,
    older: Option<String>,
}

struct EntryRow {
    at: Moment,
    kind: &'static str,
    who: String,
    summary: String,
    message_id: String,
    message: Option<String>,
}

/// Shows the trace of an inbox, newest first.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<MessageRead>()?;
    let mut query = call.query();
    let filter = endpoints::trace::list::filter(&mut query);
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    // The form sends empty fields.
    let filter = TraceFilter {
        message_id: filter.message_id.filter(|id| !id.as_str().is_empty()),
        correspondent: filter.correspondent.filter(|address| !address.is_empty()),
        page: paging.request.clone(),
        ..filter
    };
    let message_id = filter.message_id.as_ref().map(|id| id.as_str().to_owned()).unwrap_or_default();
    let with = filter.correspondent.clone().unwrap_or_default();
    let page = trace::list(call.app(), &caller, &inbox_id, filter).await;
    let page = call.with_fix(page)?;
    let path = links::in_inbox(&inbox_id, "trace");
    let older = paging
        .next(page.next.as_ref())
        .map(|token| links::with_query(&path, &[("message_id", &message_id), ("with", &with), ("page_token", &token)]));
    let template = TracePage {
        frame: call.frame(Section::Mail, "Trace"),
        inbox: links::inbox(&inbox_id),
        message_id,
        with,
        entries: page.items.iter().map(|entry| row(&inbox_id, entry)).collect(),
        older,
    };
    call.render(&template)
}

fn row(inbox_id: &InboxId, entry: &TraceEntry) -> EntryRow {
    let who = entry.actor().map(trace_summary::actor).unwrap_or_default();
    EntryRow {
        at: Moment(entry.place.at),
        kind: entry.kind(),
        who: shown(&who, 200),
        summary: shown(&trace_summary::summary(entry), 1000),
        message_id: entry.message_id().map_or_else(String::new, |id| shown(id.as_str(), 120)),
        message: entry.thread_id().map(|thread_id| links::thread(inbox_id, thread_id)),
    }
}
