//! `/console/connections/{connection_id}`

use askama::Template;
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
    let change = ConnectionChange {
        scope: Some(call.form.all("scope").collect::<Vec<_>>().join(" ")),
        inbox_ids: Some(marked_inboxes(call)),
        expires_at: None,
    };
    let changed = oauth::update_connection(call.app(), &call.caller, call.connection_id()?, change).await;
    call.with_fix(changed)
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
