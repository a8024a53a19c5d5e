//! `/console`: the inboxes of a person, and a form for a new one.

use askama::Template;
use inboxd_core::app::inboxes::{self, NewInbox};
use inboxd_core::app::threads::{self, MAX_UNREAD_COUNT};
use inboxd_core::model::permissions::{InboxCreate, InboxRead, MessageRead};
use inboxd_core::model::{Direction, Inbox, Permission, Scope};

use super::inbox::filled_query;
use super::rows::MAX_PERSON_CHARS;
use super::steps::{FirstStep, first_steps};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::problem::{Problem, render_form};
use crate::console::text::shown;

/// Path of the page.
const PATH: &str = "/console";

#[derive(Template)]
#[template(path = "console/start.html")]
struct StartPage<'a> {
    frame: Frame,
    inboxes: Vec<InboxRow>,
    older: Option<String>,
    steps: Option<[FirstStep; 3]>,
    may_create: bool,
    username: &'a str,
    display_name: &'a str,
    domain: &'a str,
    client_id: String,
    problem: Option<&'a Problem>,
}

/// An inbox in the list.
struct InboxRow {
    address: String,
    href: String,
    settings: Option<String>,
    name: String,
    /// Number of unread threads, in words; empty without.
    unread: String,
    is_paused: bool,
}

/// Shows the inboxes.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Leads from the path of the form to the page that has it.
pub(super) async fn lead_back(call: &ConsoleCall) -> PageResult {
    Ok(call.redirect(PATH))
}

/// Makes an inbox.
pub(super) async fn create(call: &ConsoleCall) -> PageResult {
    let caller = call.authorize::<InboxCreate>(Scope::Organization)?;
    let field = |name: &str| call.form.one(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let new = NewInbox {
        username: field("username"),
        domain: field("domain"),
        display_name: field("display_name"),
        client_id: field("client_id"),
        ..NewInbox::default()
    };
    match call.with_fix(inboxes::create(call.app(), &caller, new).await) {
        Ok(inbox) => Ok(call.redirect(&format!("{}?notice=created", links::inbox(&inbox.inbox_id)))),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    let caller = call.authorize::<InboxRead>(Scope::Organization)?;
    let paging = filled_query(call).page(call, Direction::Descending)?;
    let found = inboxes::list(call.app(), &caller, paging.request.clone()).await?;
    let counts = if call.may(Permission::MessageRead) {
        let reader = call.authorize::<MessageRead>(Scope::Organization)?;
        threads::unread(call.app(), &reader, &found.items).await?
    } else {
        Vec::new()
    };
    let older = paging.next(found.next.as_ref()).map(|token| links::with_query(PATH, &[("page_token", &token)]));
    let steps = if older.is_none() { first_steps(call, &found.items).await? } else { None };
    let may_configure = call.may(Permission::InboxUpdate) || call.may(Permission::InboxDelete);
    let counts = counts.into_iter().map(Some).chain(std::iter::repeat(None));
    let field = |name| call.form.one(name).unwrap_or_default();
    let template = StartPage {
        frame: call.frame(Section::Mail, "Inboxes"),
        inboxes: found.items.iter().zip(counts).map(|(inbox, count)| row(inbox, count, may_configure)).collect(),
        older,
        steps,
        may_create: call.may(Permission::InboxCreate),
        username: field("username"),
        display_name: field("display_name"),
        domain: field("domain"),
        client_id: form_id(call),
        problem,
    };
    render_form(call, problem, &template)
}

fn row(inbox: &Inbox, unread: Option<u64>, may_configure: bool) -> InboxRow {
    InboxRow {
        address: inbox.inbox_id.to_string(),
        href: links::inbox(&inbox.inbox_id),
        settings: may_configure.then(|| links::in_inbox(&inbox.inbox_id, "settings")),
        name: inbox.display_name.as_deref().map(|name| shown(name, MAX_PERSON_CHARS)).unwrap_or_default(),
        unread: unread_words(unread.unwrap_or_default()),
        is_paused: inbox.paused_at.is_some(),
    }
}

fn unread_words(unread: u64) -> String {
    match unread {
        0 => String::new(),
        count if count >= u64::from(MAX_UNREAD_COUNT) => format!("{}+ unread", MAX_UNREAD_COUNT - 1),
        count => format!("{count} unread"),
    }
}

/// Returns an idempotency key for a form, so that a second click makes nothing more.
pub(super) fn form_id(call: &ConsoleCall) -> String {
    let bytes: [u8; 32] = call.app().random.bytes();
    bytes.iter().take(16).fold("console-".to_owned(), |id, byte| format!("{id}{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unread_threads_are_counted_up_to_the_limit() {
        for (count, expected) in [(0, ""), (1, "1 unread"), (99, "99 unread"), (100, "99+ unread")] {
            assert_eq!(unread_words(count), expected);
        }
    }
}
