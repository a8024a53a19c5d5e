//! `/console/connections`

use std::collections::HashMap;

use askama::Template;
use inboxd_core::app::{members, oauth};
use inboxd_core::model::{Connection, MemberId, PageRequest, Permission};
use inboxd_core::rules::oauth::{bounds, scopes};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::error::ApiError;

const PATH: &str = "/console/connections";

#[derive(Template)]
#[template(path = "console/connections.html")]
struct ConnectionsPage {
    frame: Frame,
    connections: Vec<ConnectionRow>,
    older: Option<String>,
    /// URL to paste into a client; `None` while OAuth is off.
    mcp_url: Option<String>,
    sees_all: bool,
}

/// A connection as the pages show it.
pub(super) struct ConnectionRow {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) host: String,
    /// Person that granted it.
    pub(super) person: String,
    pub(super) abilities: Vec<&'static str>,
    pub(super) inboxes: Vec<String>,
    pub(super) created: Moment,
    pub(super) used: Option<Moment>,
    pub(super) expires: Moment,
}

/// Shows the connections that the person may see.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    call.require(Permission::ApiKeyRead)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let page = call.with_fix(oauth::list_connections(call.app(), &call.caller, paging.request.clone()).await)?;
    let older = paging.next(page.next.as_ref()).map(|token| links::with_query(PATH, &[("page_token", &token)]));
    let persons = persons(call).await?;
    let template = ConnectionsPage {
        frame: call.frame(Section::Connections, "Connections"),
        connections: page.items.iter().map(|connection| row(connection, &persons)).collect(),
        older,
        mcp_url: call.state().issuer().map(|issuer| format!("{issuer}/mcp")),
        sees_all: bounds::sees_all(&call.caller),
    };
    call.render(&template)
}

/// Returns the addresses of the first 200 members; none for a person who sees only own connections.
pub(super) async fn persons(call: &ConsoleCall) -> Result<HashMap<MemberId, String>, ApiError> {
    if !bounds::sees_all(&call.caller) || !call.may(Permission::MemberRead) {
        return Ok(HashMap::new());
    }
    let page = PageRequest { limit: PageRequest::MAX_LIMIT, ..PageRequest::default() };
    let found = members::list(call.app(), &call.caller, page).await?;
    Ok(found.items.into_iter().map(|member| (member.member_id, member.email.to_string())).collect())
}

pub(super) fn row(connection: &Connection, persons: &HashMap<MemberId, String>) -> ConnectionRow {
    let person = persons.get(&connection.member_id).cloned();
    ConnectionRow {
        id: connection.connection_id.to_string(),
        name: shown(&connection.client_name, 100),
        host: shown(&connection.redirect_host, 100),
        person: person.unwrap_or_else(|| connection.member_id.to_string()),
        abilities: scopes::descriptions(&connection.permissions),
        inboxes: connection.inbox_ids.iter().map(ToString::to_string).collect(),
        created: Moment(connection.created_at),
        used: connection.used_at.map(Moment),
        expires: Moment(connection.expires_at),
    }
}
