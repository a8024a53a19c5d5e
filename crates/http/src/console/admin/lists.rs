//! `/console/lists`

use actix_web::HttpResponse;
use askama::Template;
use inboxd_core::Error;
use inboxd_core::app::lists::{self, ListName, NewEntry};
use inboxd_core::model::permissions::{ListEntryCreate, ListEntryDelete, ListEntryRead};
use inboxd_core::model::{Direction, EntryType, ListDirection, ListEntry, ListType, Permission, Scope};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, scope_choices, scope_of, widest_scope};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::problem::{Problem, render_form};
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::error::ApiError;

const PATH: &str = "/console/lists";
/// Lists with their effect.
const LISTS: [(&str, &str); 6] = [
    ("receive/block", "Blocked senders: their mail is hidden"),
    ("receive/allow", "Allowed senders: all other mail is hidden"),
    ("send/block", "Blocked recipients: nothing is sent to them"),
    ("send/allow", "Allowed recipients: nothing is sent to others"),
    ("reply/block", "Blocked answers: replies of these senders are hidden"),
    ("reply/allow", "Allowed answers: replies of all others are hidden"),
];

#[derive(Template)]
#[template(path = "console/lists.html")]
#[expect(clippy::struct_excessive_bools, reason = "each is a box or a form of the page")]
struct ListsPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    lists: Vec<Choice>,
    scopes: Vec<Choice>,
    /// The list and the scope that the page shows.
    list: &'a str,
    scope: &'a str,
    entries: Vec<EntryRow>,
    next: Option<String>,
    /// Whether the person sees the suppressed addresses of the organization.
    has_suppressions: bool,
    may_create: bool,
    may_delete: bool,
    entry: &'a str,
    reason: &'a str,
    require_authentication: bool,
}

struct EntryRow {
    entry: String,
    is_domain: bool,
    reason: String,
    requires_authentication: bool,
    is_read_only: bool,
    created: Moment,
}

/// Shows one list and the form for a new entry.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Adds an entry to a list.
pub(super) async fn create(call: &ConsoleCall) -> PageResult {
    match add(call).await {
        Ok(_) => Ok(to_list(call, "created")),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

/// Deletes an entry of a list.
pub(super) async fn delete(call: &ConsoleCall) -> PageResult {
    let (list, scope) = chosen(call);
    let caller = call.authorize::<ListEntryDelete>(scope_of(Some(&scope))?)?;
    lists::delete(call.app(), &caller, name_of(list)?, call.form.one("entry").unwrap_or_default()).await?;
    Ok(to_list(call, "deleted"))
}

/// Returns the list and the scope that a form or the query string names.
fn chosen(call: &ConsoleCall) -> (&str, String) {
    let named = |name: &str| call.form.one(name).or_else(|| call.query.one(name));
    (
        named("list").unwrap_or("receive/block"),
        named("scope").map_or_else(|| widest_scope(&call.caller.reach), str::to_owned),
    )
}

fn name_of(list: &str) -> Result<ListName, Error> {
    let (direction, list_type) = list.split_once('/').unwrap_or_default();
    match (ListDirection::named(direction), ListType::named(list_type)) {
        (Some(direction), Some(list_type)) => Ok(ListName { direction, list_type }),
        _ => Err(Error::invalid("list", "names no list")),
    }
}

fn to_list(call: &ConsoleCall, notice: &str) -> HttpResponse {
    let (list, scope) = chosen(call);
    call.redirect(&links::with_query(PATH, &[("list", list), ("scope", &scope), ("notice", notice)]))
}

async fn add(call: &ConsoleCall) -> Result<ListEntry, ApiError> {
    let (list, scope) = chosen(call);
    let caller = call.authorize::<ListEntryCreate>(scope_of(Some(&scope))?)?;
    let new = NewEntry {
        entry: call.form.one("entry").unwrap_or_default().trim().to_owned(),
        reason: call.form.one("reason").map(|reason| reason.trim().to_owned()),
        require_authentication: call.form.one("require_authentication").is_some(),
        client_id: None,
    };
    Ok(lists::create(call.app(), &caller, name_of(list)?, new).await?)
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    let (list, scope) = chosen(call);
    let caller = call.authorize::<ListEntryRead>(scope_of(Some(&scope))?)?;
    let mut query = call.query();
    // The page token is bound to what was read.
    let _bound = (query.text("list"), query.text("scope"));
    let paging = query.page(call, Direction::Ascending)?;
    let found = lists::list(call.app(), &caller, name_of(list)?, paging.request.clone()).await?;
    let next = paging.next(found.next.as_ref());
    let template = ListsPage {
        frame: call.frame(Section::Lists, "Lists"),
        problem,
        lists: Choice::fixed(&LISTS, |value| value == list),
        scopes: scope_choices(call, Some(&scope)).await?,
        list,
        scope: &scope,
        entries: found.items.iter().map(row).collect(),
        next: next.map(|token| links::with_query(PATH, &[("list", list), ("scope", &scope), ("page_token", &token)])),
        has_suppressions: call.authorize::<ListEntryRead>(Scope::Organization).is_ok(),
        may_create: call.may(Permission::ListEntryCreate),
        may_delete: call.may(Permission::ListEntryDelete),
        entry: call.form.one("entry").unwrap_or_default(),
        reason: call.form.one("reason").unwrap_or_default(),
        require_authentication: call.form.one("require_authentication").is_some(),
    };
    render_form(call, problem, &template)
}

fn row(entry: &ListEntry) -> EntryRow {
    EntryRow {
        entry: entry.entry.as_str().to_owned(),
        is_domain: entry.entry.entry_type() == EntryType::Domain,
        reason: entry.reason.as_deref().map(|reason| shown(reason, 200)).unwrap_or_default(),
        requires_authentication: entry.require_authentication,
        is_read_only: entry.read_only,
        created: Moment(entry.created_at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_of_the_page_exists() {
        assert!(LISTS.iter().all(|(list, _)| name_of(list).is_ok()));
        for list in ["", "receive", "receive/all", "mail/block"] {
            assert!(name_of(list).is_err(), "{list}");
        }
    }
}
