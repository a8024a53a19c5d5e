//! `/console/label-history`: who added labels to messages of an inbox, and who removed them.

use askama::Template;
use inboxd_core::app::label_history;
use inboxd_core::model::label_event::LabelEventType;
use inboxd_core::model::{Actor, LabelEvent};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, inbox_choices};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::path;

const PATH: &str = "/console/label-history";

#[derive(Template)]
#[template(path = "console/label_history.html")]
struct LabelHistoryPage {
    frame: Frame,
    inboxes: Vec<Choice>,
    changes: Vec<ChangeRow>,
    older: Option<String>,
}

struct ChangeRow {
    at: Moment,
    who: String,
    act: &'static str,
    label: String,
    message_id: String,
    source: String,
}

/// Shows the label history of an inbox, by default that of the newest one.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let named: Vec<String> = call.query.one("inbox_id").map(|id| path::inbox_id(id).to_string()).into_iter().collect();
    let inboxes = inbox_choices(call, &named).await?;
    let chosen = named.into_iter().next().or_else(|| inboxes.first().map(|choice| choice.value.clone()));
    let mut template = LabelHistoryPage {
        frame: call.frame(Section::Events, "Label history"),
        inboxes,
        changes: Vec::new(),
        older: None,
    };
    if let Some(chosen) = chosen {
        let mut query = call.query();
        let _bound = query.text("inbox_id");
        let direction = query.direction();
        let paging = query.page(call, direction)?;
        let inbox_id = path::inbox_id(&chosen);
        let found = label_history::list(call.app(), &call.caller, &inbox_id, paging.request.clone()).await;
        let found = call.with_fix(found)?;
        let named = call.query.one("inbox_id").unwrap_or_default();
        template.older = paging
            .next(found.next.as_ref())
            .map(|token| links::with_query(PATH, &[("inbox_id", named), ("page_token", &token)]));
        template.changes = found.items.iter().map(row).collect();
    }
    call.render(&template)
}

fn row(event: &LabelEvent) -> ChangeRow {
    let who = match &event.actor {
        Actor::Member { name, email, connection_id: None, .. } => format!("{name} ({email})"),
        Actor::Member { name, email, .. } => format!("{name} ({email}), through a chat client"),
        Actor::ApiKey { name, .. } => format!("API key {name}"),
    };
    ChangeRow {
        at: Moment(event.event_at),
        who: shown(&who, 200),
        act: match event.event_type {
            LabelEventType::Added => "added",
            LabelEventType::Removed => "removed",
        },
        label: shown(&event.label, 100),
        message_id: shown(event.message_id.as_str(), 120),
        source: links::message(&event.inbox_id, &event.message_id, "source"),
    }
}
