//! `/console/webhooks`

use std::collections::BTreeSet;

use askama::Template;
use inboxd_core::Error;
use inboxd_core::app::webhooks::{self, MadeWebhook, NewWebhook};
use inboxd_core::model::permissions::{WebhookCreate, WebhookRead};
use inboxd_core::model::{EventType, Permission, Reach, Scope, Webhook};
use inboxd_core::rules::trust::Verdict;

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, scope_choices, scope_of};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::problem::{Problem, render_form};
use crate::console::secret::SecretPage;
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::error::ApiError;

const PATH: &str = "/console/webhooks";

#[derive(Template)]
#[template(path = "console/webhooks.html")]
struct WebhooksPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    webhooks: Vec<WebhookRow>,
    older: Option<String>,
    form: Option<WebhookForm>,
}

/// A webhook as the pages show it.
pub(super) struct WebhookRow {
    pub(super) id: String,
    pub(super) url: String,
    pub(super) scope: String,
    pub(super) is_enabled: bool,
    pub(super) failing_since: Option<Moment>,
    pub(super) event_count: usize,
    pub(super) created: Moment,
}

struct WebhookForm {
    url: String,
    scopes: Vec<Choice>,
    types: Vec<Choice>,
    verdicts: Vec<Choice>,
}

/// Shows the webhooks and the form for a new one.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Creates a webhook and shows its secret once.
pub(super) async fn create(call: &ConsoleCall) -> PageResult {
    let made = match make(call).await {
        Ok(made) => made,
        Err(error) => return page(call, Some(&Problem::of(error)?)).await,
    };
    let secret = made.secret.as_ref().map(inboxd_core::model::WebhookSecret::reveal).unwrap_or_default();
    secret_page(call, "Webhook created", &made.webhook, &secret)
}

/// Shows the secret of a webhook once.
pub(super) fn secret_page(call: &ConsoleCall, title: &str, webhook: &Webhook, secret: &str) -> PageResult {
    let page = SecretPage {
        frame: call.frame(Section::Webhooks, title),
        label: "Secret of",
        hint: "It signs each delivery (Standard Webhooks). Check the signature before you trust a delivery.",
        name: &shown(&webhook.url, 200),
        secret,
        back: &format!("{PATH}/{}", webhook.webhook_id),
    };
    call.render(&page)
}

async fn make(call: &ConsoleCall) -> Result<MadeWebhook, ApiError> {
    let caller = call.authorize::<WebhookCreate>(scope_of(call.form.one("scope"))?)?;
    let new = NewWebhook {
        url: call.form.one("url").unwrap_or_default().trim().to_owned(),
        event_types: call.form.all("event_types").map(ToOwned::to_owned).collect(),
        trust: chosen_verdicts(call)?,
        ..NewWebhook::default()
    };
    Ok(webhooks::create(call.app(), &caller, new).await?)
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    let caller = call.authorize::<WebhookRead>(Scope::Organization)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let found = webhooks::list(call.app(), &caller, paging.request.clone()).await?;
    let older = paging.next(found.next.as_ref()).map(|token| links::with_query(PATH, &[("page_token", &token)]));
    let template = WebhooksPage {
        frame: call.frame(Section::Webhooks, "Webhooks"),
        problem,
        webhooks: found.items.iter().map(row).collect(),
        older,
        form: if call.may(Permission::WebhookCreate) { Some(form(call).await?) } else { None },
    };
    render_form(call, problem, &template)
}

async fn form(call: &ConsoleCall) -> Result<WebhookForm, ApiError> {
    Ok(WebhookForm {
        url: call.form.one("url").unwrap_or_default().to_owned(),
        scopes: scope_choices(call, call.form.one("scope")).await?,
        types: type_choices(|kind| call.form.all("event_types").any(|marked| marked == kind)),
        verdicts: verdict_choices(|word| call.form.all("trust").any(|marked| marked == word)),
    })
}

/// Returns the event types that a webhook can have.
pub(super) fn type_choices(is_chosen: impl Fn(&str) -> bool) -> Vec<Choice> {
    EventType::ALL.iter().map(|kind| Choice::new(kind.as_str(), kind.as_str(), &is_chosen)).collect()
}

/// Returns the verdicts to which a webhook can be limited.
pub(super) fn verdict_choices(is_chosen: impl Fn(&str) -> bool) -> Vec<Choice> {
    Verdict::ALL.iter().map(|verdict| Choice::new(verdict.as_str(), verdict.as_str(), &is_chosen)).collect()
}

/// Reads the marked verdicts of a form.
pub(super) fn chosen_verdicts(call: &ConsoleCall) -> Result<BTreeSet<Verdict>, Error> {
    let unknown = || Error::invalid("trust", "must be trusted, known, first_contact or suspicious");
    call.form.all("trust").map(|word| Verdict::named(word).ok_or_else(unknown)).collect()
}

pub(super) fn row(webhook: &Webhook) -> WebhookRow {
    let scope = match (&webhook.place, &webhook.selection) {
        (Reach::Organization | Reach::Inboxes(_), None) => "Organization".to_owned(),
        (Reach::Pod(pod_id), None) => format!("Pod {pod_id}"),
        (Reach::Inbox { inbox_id, .. }, _) => inbox_id.to_string(),
        (_, Some(targets)) => {
            let pods = targets.pod_ids.iter().map(|pod_id| format!("Pod {pod_id}"));
            let all: Vec<String> = pods.chain(targets.inbox_ids.iter().map(ToString::to_string)).collect();
            if all.is_empty() { "Nothing: its pods and inboxes are gone".to_owned() } else { all.join(", ") }
        }
    };
    WebhookRow {
        id: webhook.webhook_id.to_string(),
        url: shown(&webhook.url, 200),
        scope,
        is_enabled: webhook.enabled,
        failing_since: webhook.failing_since.map(Moment),
        event_count: webhook.event_types.len(),
        created: Moment(webhook.created_at),
    }
}
