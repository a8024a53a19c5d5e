//! `GET /console/webhooks/{webhook_id}`: a webhook with its delivery attempts.

use askama::Template;
use inboxd_core::app::webhooks::{self, AttemptFilter};
use inboxd_core::model::permissions::WebhookRead;
use inboxd_core::model::{PageRequest, Permission, Scope, WebhookAttempt};

use super::webhooks::{WebhookRow, row, type_choices};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::Choice;
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::problem::{Problem, render_form};
use crate::console::text::{shown, shown_lines};
use crate::console::time::Moment;

/// Attempts of a page.
const ATTEMPTS: u32 = 20;

#[derive(Template)]
#[template(path = "console/webhook.html")]
struct WebhookPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    webhook: WebhookRow,
    types: Vec<Choice>,
    header_names: Vec<String>,
    attempts: Vec<AttemptRow>,
    older: Option<String>,
    may_change: bool,
    may_delete: bool,
    header_name: &'a str,
    since: &'a str,
}

struct AttemptRow {
    event_id: String,
    event_type: &'static str,
    is_success: bool,
    status: String,
    duration_ms: u32,
    /// What the receiver answered, or why it did not.
    answer: String,
    at: Moment,
    next: Option<Moment>,
}

/// Shows a webhook.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Shows a webhook, with the problem of a form that was refused.
pub(super) async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    let caller = call.authorize::<WebhookRead>(Scope::Organization)?;
    let webhook_id = call.webhook_id()?;
    let webhook = webhooks::get(call.app(), &caller, webhook_id).await?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let attempts = PageRequest { limit: ATTEMPTS, ..paging.request.clone() };
    let filter = AttemptFilter { webhook_id: Some(webhook_id), page: attempts, ..AttemptFilter::default() };
    let found = webhooks::attempts(call.app(), &caller, filter).await?;
    let path = format!("/console/webhooks/{webhook_id}");
    let template = WebhookPage {
        frame: call.frame(Section::Webhooks, "Webhook"),
        problem,
        types: type_choices(|kind| webhook.event_types.iter().any(|known| known.as_str() == kind)),
        header_names: webhook.header_names.iter().map(|name| shown(name, 128)).collect(),
        webhook: row(&webhook),
        older: paging.next(found.next.as_ref()).map(|token| links::with_query(&path, &[("page_token", &token)])),
        attempts: found.items.iter().map(attempt).collect(),
        may_change: call.may(Permission::WebhookUpdate),
        may_delete: call.may(Permission::WebhookDelete),
        header_name: call.form.one("header_name").unwrap_or_default(),
        since: call.form.one("since").unwrap_or_default(),
    };
    render_form(call, problem, &template)
}

fn attempt(attempt: &WebhookAttempt) -> AttemptRow {
    let answer = attempt.error.clone().or_else(|| attempt.response_body.clone()).unwrap_or_default();
    AttemptRow {
        event_id: attempt.event_id.to_string(),
        event_type: attempt.event_type.as_str(),
        is_success: attempt.is_success(),
        status: attempt.status_code.map_or_else(|| "no answer".to_owned(), |status| status.to_string()),
        duration_ms: attempt.duration_ms,
        answer: shown_lines(&answer, 1_000),
        at: Moment(attempt.attempted_at),
        next: attempt.next_attempt_at.map(Moment),
    }
}
