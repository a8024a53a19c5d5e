//! `/console/audit`: the audit log.

use askama::Template;
use inboxd_core::app::audit::{self, AuditFilter};
use inboxd_core::model::permissions::AuditRead;
use inboxd_core::model::{Actor, AuditAction, AuditActor, AuditEntry, AuditFacts, Scope, ServiceActor};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::Choice;
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::endpoints;

const PATH: &str = "/console/audit";

#[derive(Template)]
#[template(path = "console/audit.html")]
struct AuditPage {
    frame: Frame,
    actions: Vec<Choice>,
    changes: Vec<ChangeRow>,
    older: Option<String>,
}

struct ChangeRow {
    at: Moment,
    who: String,
    client: String,
    action: &'static str,
    resource: String,
    before: String,
    after: String,
}

/// Shows the audit log, all of it or the changes of one kind.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let caller = call.authorize::<AuditRead>(Scope::Organization)?;
    let mut query = call.query();
    let filter = endpoints::audit::list::filter(&mut query);
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let chosen = filter.action.map(AuditAction::as_str).unwrap_or_default();
    let found = audit::list(call.app(), &caller, AuditFilter { page: paging.request.clone(), ..filter }).await?;
    let older = paging.next(found.next.as_ref());
    let words = std::iter::once("").chain(AuditAction::ALL.iter().map(|action| action.as_str()));
    let template = AuditPage {
        frame: call.frame(Section::Audit, "Audit log"),
        actions: words
            .map(|word| Choice {
                value: word.to_owned(),
                label: if word.is_empty() { "All changes".to_owned() } else { word.to_owned() },
                is_chosen: word == chosen,
            })
            .collect(),
        changes: found.items.into_iter().map(row).collect(),
        older: older.map(|token| links::with_query(PATH, &[("action", chosen), ("page_token", &token)])),
    };
    call.render(&template)
}

fn row(entry: AuditEntry) -> ChangeRow {
    let who = match &entry.actor {
        AuditActor::Caller(Actor::Member { name, email, connection_id: None, .. }) => format!("{name} ({email})"),
        AuditActor::Caller(Actor::Member { name, email, .. }) => format!("{name} ({email}), through a chat client"),
        AuditActor::Caller(Actor::ApiKey { name, .. }) => format!("API key {name}"),
        AuditActor::Service { kind: ServiceActor::Operator } => "The operator of this server".to_owned(),
        AuditActor::Service { kind: ServiceActor::PaymentProvider } => "The payment provider".to_owned(),
        AuditActor::Service { kind: ServiceActor::OAuthClient } => "The chat client itself".to_owned(),
        AuditActor::Service { kind: ServiceActor::Service } => "This server".to_owned(),
    };
    ChangeRow {
        at: Moment(entry.created_at),
        who: shown(&who, 200),
        client: entry.client_address.unwrap_or_default(),
        action: entry.action.as_str(),
        resource: shown(&entry.resource_id, 120),
        before: in_words(entry.before.as_ref()),
        after: in_words(entry.after.as_ref()),
    }
}

/// Returns facts as a line of text.
fn in_words(facts: Option<&AuditFacts>) -> String {
    let words = facts.into_iter().flatten().map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}: {value}"),
    });
    shown(&words.collect::<Vec<_>>().join(", "), 600)
}
