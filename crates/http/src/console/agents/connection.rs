//! `/console/connections/{connection_id}`

use askama::Template;
use inboxd_core::Error;
use inboxd_core::app::oauth::{self, ConnectionChange};
use inboxd_core::model::{Connection, Permission, Permissions};
use inboxd_core::rules::access;
use inboxd_core::rules::oauth::scopes::{self, ScopeName};

use super::connections::{ConnectionRow, persons, row};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, inbox_choices, marked_inboxes};
use crate::console::frame::{Frame, Section};
use crate::console::problem::{Problem, render_form};
use crate::error::ApiError;

#[derive(Template)]
#[template(path = "console/connection.html")]
struct ConnectionPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    connection: ConnectionRow,
    /// Whether it reaches all inboxes of its person.
    is_unlimited: bool,
    scopes: Vec<Choice>,
    inboxes: Vec<Choice>,
}

/// Shows a connection and the form that changes it.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Changes what a client may do.
pub(super) async fn change(call: &ConsoleCall) -> PageResult {
    match save(call).await {
        Ok(changed) => Ok(call.redirect(&format!("/console/connections/{}?notice=saved", changed.connection_id))),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

/// Ends the access of a client.
pub(super) async fn revoke(call: &ConsoleCall) -> PageResult {
    call.require_granted(Permission::ApiKeyDelete)?;
    let connection_id = call.connection_id()?;
    call.with_fix(oauth::revoke_connection(call.app(), &call.caller, connection_id).await)?;
    Ok(call.redirect("/console/connections?notice=revoked"))
}

async fn save(call: &ConsoleCall) -> Result<Connection, ApiError> {
    call.require_granted(access::key_change_permission(&call.caller))?;
    let inbox_ids = match call.form.one("inboxes") {
        Some("all") => Vec::new(),
        _ => Some(marked_inboxes(call)).filter(|marked| !marked.is_empty()).ok_or_else(no_inbox)?,
    };
    let change = ConnectionChange {
        scope: Some(call.form.all("scope").collect::<Vec<_>>().join(" ")),
        inbox_ids: Some(inbox_ids),
        expires_at: None,
    };
    let changed = oauth::update_connection(call.app(), &call.caller, call.connection_id()?, change).await;
    call.with_fix(changed)
}

/// Returns the refusal of a form that would widen a connection by leaving everything unmarked.
fn no_inbox() -> Error {
    Error::invalid("inbox_ids", "names no inbox; mark at least one, or choose all inboxes")
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    call.require(Permission::ApiKeyRead)?;
    let connection_id = call.connection_id()?;
    let connection = call.with_fix(oauth::get_connection(call.app(), &call.caller, connection_id).await)?;
    let chosen = match problem {
        Some(_) => call.form.all("inbox_ids").map(ToOwned::to_owned).collect(),
        None => connection.inbox_ids.iter().map(ToString::to_string).collect::<Vec<_>>(),
    };
    let scopes = scopes_of(&connection.permissions);
    let template = ConnectionPage {
        frame: call.frame(Section::Connections, "Connection"),
        problem,
        is_unlimited: match problem {
            Some(_) => call.form.one("inboxes") == Some("all"),
            None => connection.inbox_ids.is_empty(),
        },
        connection: row(&connection, &persons(call).await?),
        scopes,
        inboxes: inbox_choices(call, &chosen).await?,
    };
    render_form(call, problem, &template)
}

/// Returns what the connection may do, marked, and the scopes that it lacks.
fn scopes_of(permissions: &Permissions) -> Vec<Choice> {
    let text = scopes::text(permissions);
    let held: Vec<&str> = text.split(' ').collect();
    let labels = scopes::descriptions(permissions);
    let mut choices: Vec<Choice> =
        held.iter().zip(labels).map(|(name, label)| Choice::new(*name, label, |_| true)).collect();
    let lacking = ScopeName::ALL.iter().filter(|scope| !held.contains(&scope.as_str()));
    choices.extend(lacking.map(|scope| Choice::new(scope.as_str(), scope.description(), |_| false)));
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_and_lacking_scopes_are_offered() {
        let permissions = scopes::parse(Some("mail:read webhook_read")).unwrap_or_default();
        let offered: Vec<_> =
            scopes_of(&permissions).into_iter().map(|choice| (choice.value, choice.is_chosen)).collect();
        let expected = [
            ("mail:read", true),
            ("webhook_read", true),
            ("mail:draft", false),
            ("mail:send", false),
            ("mail:manage", false),
            ("inboxes:manage", false),
            ("admin", false),
        ];
        assert_eq!(offered, expected.map(|(name, is_chosen)| (name.to_owned(), is_chosen)));
    }
}
