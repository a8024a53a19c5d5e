//! `/console/drafts`: drafts of all inboxes, those that wait for a person first.

use askama::Template;
use inboxd_core::app::drafts::{self, DraftFilter};
use inboxd_core::model::draft::{AWAITING_APPROVAL, SCHEDULED};
use inboxd_core::model::permissions::DraftRead;
use inboxd_core::model::{DraftItem, InboxId, Page, Permission, Reach, Scope, SendStatus};
use time::OffsetDateTime;

use super::{Held, author, is_agent, recipients};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::path;

/// Names and labels of the filter `state`.
const STATES: [(&str, &str); 5] = [
    ("", "All"),
    (AWAITING_APPROVAL, "Held by a policy"),
    ("draft", "Not scheduled"),
    (SCHEDULED, "Scheduled"),
    ("failed", "Failed"),
];

#[derive(Template)]
#[template(path = "console/drafts.html")]
struct DraftsPage {
    frame: Frame,
    /// Drafts that agents wrote and that only a person sends.
    waiting: Vec<DraftLine>,
    others: Vec<DraftLine>,
    inbox_id: String,
    /// Inboxes of a person with a limit to some.
    inboxes: Vec<InboxId>,
    state: &'static str,
    states: [(&'static str, &'static str); 5],
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
    author: String,
    updated_at: Moment,
    send_at: Option<Moment>,
    status: Option<SendStatus>,
    revision: u64,
    attachments: usize,
    held: Option<Held>,
}

impl DraftLine {
    fn new(call: &ConsoleCall, item: &DraftItem, now: OffsetDateTime) -> Self {
        Self {
            path: links::draft(&item.inbox_id, item.draft_id),
            inbox_id: shown(item.inbox_id.as_str(), 320),
            subject: shown(item.subject.as_deref().unwrap_or("No subject"), 200),
            recipients: recipients(item),
            preview: shown(item.preview.as_deref().unwrap_or_default(), 300),
            author: author(&item.updated_by),
            updated_at: Moment(item.updated_at),
            send_at: item.dispatch.send_at.map(Moment),
            status: item.dispatch.status(now),
            revision: item.dispatch.revision,
            attachments: item.attachments.len(),
            held: Held::of(call, item),
        }
    }

    fn is(&self, status: SendStatus) -> bool {
        self.status == Some(status)
    }
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
    let filter = DraftFilter { labels, page: paging.request.clone(), ..DraftFilter::default() };
    let Page { items, next } = drafts::list(call.app(), &caller, filter).await?;
    let is_meant = |item: &&DraftItem| match state {
        "draft" => item.dispatch.status(now).is_none(),
        "failed" => item.dispatch.status(now) == Some(SendStatus::Failed),
        _ => true,
    };
    let (waiting, others): (Vec<_>, Vec<_>) = items.iter().filter(is_meant).partition(|item| {
        item.awaits_approval() || (item.dispatch.status(now).is_none() && is_agent(&item.updated_by))
    });
    let lines = |items: Vec<&DraftItem>| items.into_iter().map(|item| DraftLine::new(call, item, now)).collect();
    let inbox_id = inbox_id.map(|id| id.to_string()).unwrap_or_default();
    let older = paging.next(next.as_ref()).map(|token| {
        links::with_query("/console/drafts", &[("inbox_id", &inbox_id), ("state", state), ("page_token", &token)])
    });
    let page = DraftsPage {
        frame: call.frame(Section::Drafts, "Drafts"),
        waiting: lines(waiting),
        others: lines(others),
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
