//! `/console/drafts`: drafts of all inboxes.

use askama::Template;
use inboxd_core::app::drafts::{self, DraftFilter};
use inboxd_core::model::draft::{AWAITING_APPROVAL, SCHEDULED};
use inboxd_core::model::permissions::DraftRead;
use inboxd_core::model::{DraftItem, InboxId, Page, Permission, Reach, Scope, SendStatus};
use inboxd_core::ports::DraftState;
use time::OffsetDateTime;

use super::whole::{MAX_TEXT_BYTES, whole_text};
use super::{Held, author, is_of_agent, recipients, subject};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::path;

/// Names and labels of the filter `state`.
const STATES: [(&str, &str); 6] = [
    ("", "All"),
    ("waiting", "Waiting for approval"),
    (AWAITING_APPROVAL, "Held by a policy"),
    ("draft", "Not scheduled"),
    (SCHEDULED, "Scheduled"),
    ("failed", "Failed"),
];

#[derive(Template)]
#[template(path = "console/drafts.html")]
struct DraftsPage {
    frame: Frame,
    drafts: Vec<DraftLine>,
    inbox_id: String,
    /// Inboxes of a person with a limit to some.
    inboxes: Vec<InboxId>,
    state: &'static str,
    states: [(&'static str, &'static str); 6],
    older: Option<String>,
    may_send: bool,
    may_delete: bool,
}

/// A draft of the list.
struct DraftLine {
    path: String,
    inbox_id: String,
    subject: String,
    recipients: String,
    preview: String,
    /// The text of a draft that is shown whole and can be approved here.
    whole: Option<String>,
    author: String,
    updated_at: Moment,
    send_at: Option<Moment>,
    status: Option<SendStatus>,
    /// Whether an agent wrote it, so that a person sends it.
    is_waiting: bool,
    revision: u64,
    attachments: usize,
    held: Option<Held>,
}

impl DraftLine {
    /// Returns the line of a draft, with its text where that is short.
    fn new(call: &ConsoleCall, item: &DraftItem, text: Option<&String>, now: OffsetDateTime) -> Self {
        Self {
            path: links::draft(&item.inbox_id, item.draft_id),
            inbox_id: shown(item.inbox_id.as_str(), 320),
            subject: subject(item),
            recipients: recipients(item),
            preview: shown(item.preview.as_deref().unwrap_or_default(), 300),
            whole: text.and_then(|text| whole_text(item, text)),
            author: author(&item.updated_by),
            updated_at: Moment(item.updated_at),
            send_at: item.dispatch.send_at.map(Moment),
            status: item.dispatch.status(now),
            is_waiting: is_waiting(item, now),
            revision: item.dispatch.revision,
            attachments: item.attachments.len(),
            held: Held::of(call, item),
        }
    }

    fn is(&self, status: SendStatus) -> bool {
        self.status == Some(status)
    }
}

fn is_waiting(item: &DraftItem, now: OffsetDateTime) -> bool {
    item.dispatch.status(now).is_none() && is_of_agent(item)
}

pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let now = call.app().clock.now();
    let mut query = call.query();
    let inboxes = match &call.caller.reach {
        Reach::Inboxes(inboxes) => inboxes.iter().cloned().collect(),
        _ => Vec::new(),
    };
    // The use case lists one inbox at a time for a person with a limit to several.
    let inbox_id =
        query.text("inbox_id").filter(|text| !text.trim().is_empty()).map(|text| path::inbox_id(text.trim()));
    let inbox_id = inbox_id.or_else(|| inboxes.first().cloned());
    let caller = call.authorize::<DraftRead>(inbox_id.clone().map_or(Scope::Organization, Scope::Inbox))?;
    let state = query.text("state").unwrap_or_default();
    let state = STATES.into_iter().map(|(name, _)| name).find(|name| *name == state).unwrap_or_default();
    let labels = if [SCHEDULED, AWAITING_APPROVAL].contains(&state) { vec![state.to_owned()] } else { Vec::new() };
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let filter = DraftFilter { labels, state: selected(state), page: paging.request.clone(), ..DraftFilter::default() };
    let Page { items, next } = drafts::list(call.app(), &caller, filter).await?;
    let waiting: Vec<DraftItem> = items.iter().filter(|item| is_waiting(item, now)).cloned().collect();
    let texts = drafts::short_texts(call.app(), &caller, &waiting, MAX_TEXT_BYTES).await?;
    let inbox_id = inbox_id.map(|id| id.to_string()).unwrap_or_default();
    let older = paging.next(next.as_ref()).map(|token| {
        links::with_query("/console/drafts", &[("inbox_id", &inbox_id), ("state", state), ("page_token", &token)])
    });
    let page = DraftsPage {
        frame: call.frame(Section::Drafts, "Drafts"),
        drafts: items.iter().map(|item| DraftLine::new(call, item, texts.get(&item.draft_id), now)).collect(),
        inbox_id,
        inboxes,
        state,
        states: STATES,
        older,
        may_send: call.may(Permission::DraftSend),
        may_delete: call.may(Permission::DraftDelete),
    };
    call.render(&page)
}

/// Returns the state that the query selects. Scheduled drafts have a label.
fn selected(name: &str) -> Option<DraftState> {
    match name {
        "waiting" => Some(DraftState::Waiting),
        "draft" => Some(DraftState::Unscheduled),
        "failed" => Some(DraftState::Failed),
        _ => None,
    }
}
