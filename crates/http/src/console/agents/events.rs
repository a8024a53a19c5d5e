//! `/console/events`

use askama::Template;
use inboxd_core::app::events::{self, EventFilter};
use inboxd_core::model::{EventType, PageRequest};
use inboxd_core::ports::WholeEvent;

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, inbox_choices};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::text::{shown, shown_lines};
use crate::console::time::Moment;
use crate::endpoints::events::list;
use crate::views::EventView;

const PATH: &str = "/console/events";
/// Events of a page: each may have the text of a message.
const PAGE_EVENTS: u32 = 25;
/// Maximum characters of sender and subject.
const MAX_MAIL_CHARS: usize = 100;
/// Maximum characters of the JSON of an event.
const MAX_JSON_CHARS: usize = 20_000;

#[derive(Template)]
#[template(path = "console/events.html")]
struct EventsPage {
    frame: Frame,
    types: Vec<Choice>,
    inboxes: Vec<Choice>,
    events: Vec<EventRow>,
    older: Option<String>,
    /// Whether new events appear on this page.
    is_newest: bool,
    inbox_id: String,
    is_filtered: bool,
}

struct EventRow {
    event_type: &'static str,
    inbox: String,
    /// Sender and subject of a received message.
    mail: Option<String>,
    thread: Option<String>,
    at: Moment,
    json: String,
}

/// Shows the events of the last seven days, newest first.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let mut query = call.query();
    // The page token is bound to what was read. The form sends an empty field for all inboxes.
    let inbox_id = call.query.one("inbox_id").and_then(|_| list::inbox_id(&mut query));
    let filter = list::filter(&mut query, inbox_id);
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let chosen_type = filter.event_types.first().cloned().unwrap_or_default();
    let chosen_inbox = filter.inbox_id.as_ref().map(ToString::to_string).unwrap_or_default();
    let filters = [("event_types", chosen_type.as_str()), ("inbox_id", chosen_inbox.as_str())];
    let page = PageRequest { limit: PAGE_EVENTS, ..paging.request.clone() };
    let is_first = page.after.is_none();
    let found = call.with_fix(events::list(call.app(), &call.caller, EventFilter { page, ..filter }).await)?;
    let older = paging.next(found.next.as_ref()).map(|token| {
        let [types, inbox] = filters;
        links::with_query(PATH, &[types, inbox, ("page_token", &token)])
    });
    let chosen: Vec<String> = Some(chosen_inbox.clone()).filter(|chosen| !chosen.is_empty()).into_iter().collect();
    let template = EventsPage {
        frame: call.frame(Section::Events, "Events"),
        types: EventType::ALL
            .iter()
            .map(|kind| Choice::new(kind.as_str(), kind.as_str(), |kind| kind == chosen_type))
            .collect(),
        inboxes: inbox_choices(call, &chosen).await?,
        events: found.items.into_iter().map(row).collect(),
        older,
        is_newest: is_first,
        is_filtered: filters.iter().any(|(_, value)| !value.is_empty()),
        inbox_id: chosen_inbox.clone(),
    };
    call.render(&template)
}

fn row(whole: WholeEvent) -> EventRow {
    let event = &whole.record.event;
    let thread =
        event.inbox_id.as_ref().zip(event.thread_id).map(|(inbox_id, thread_id)| links::thread(inbox_id, thread_id));
    EventRow {
        event_type: event.event_type.as_str(),
        inbox: event.inbox_id.as_ref().map_or_else(String::new, |inbox_id| shown(inbox_id.as_str(), 100)),
        mail: whole.record.mail.as_ref().map(|(message, _)| {
            let subject = message.item.subject.as_deref().unwrap_or("No subject");
            shown(&format!("{}: {subject}", message.item.from), MAX_MAIL_CHARS)
        }),
        thread,
        at: Moment(event.created_at),
        // All keys are strings, so that this cannot fail.
        json: shown_lines(&serde_json::to_string_pretty(&EventView::from(whole)).unwrap_or_default(), MAX_JSON_CHARS),
    }
}
