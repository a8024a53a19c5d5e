//! `/console/inboxes/{inbox_id}/contacts`: who writes to an inbox, and the decisions of persons.

use actix_web::HttpResponse;
use askama::Template;
use inboxd_core::app::contacts;
use inboxd_core::model::permissions::{ListEntryCreate, ListEntryDelete, MessageRead};
use inboxd_core::model::{Contact, ContactDecision, Direction, Permission};
use inboxd_core::{Error, FieldError};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::error::ApiError;

#[derive(Template)]
#[template(path = "console/contacts.html")]
struct ContactsPage {
    frame: Frame,
    inbox: String,
    contacts: Vec<ContactRow>,
    older: Option<String>,
    may_decide: bool,
    may_forget: bool,
}

struct ContactRow {
    address: String,
    name: String,
    is_trusted: bool,
    is_blocked: bool,
    received: u64,
    authenticated: u64,
    sent: u64,
    since: Moment,
}

/// Shows the contacts of an inbox, newest first.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<MessageRead>()?;
    let paging = call.query().page(call, Direction::Descending)?;
    let page = call.with_fix(contacts::list(call.app(), &caller, &inbox_id, paging.request.clone()).await)?;
    let path = links::in_inbox(&inbox_id, "contacts");
    let older = paging.next(page.next.as_ref()).map(|token| links::with_query(&path, &[("page_token", &token)]));
    call.render(&ContactsPage {
        frame: call.frame(Section::Mail, "Contacts"),
        inbox: links::inbox(&inbox_id),
        contacts: page.items.iter().map(row).collect(),
        older,
        may_decide: call.may(Permission::ListEntryCreate),
        may_forget: call.may(Permission::ListEntryDelete),
    })
}

/// Trusts, blocks or forgets a contact, or removes the decision.
pub(super) async fn change(call: &ConsoleCall) -> PageResult {
    let address = call.form.one("address").unwrap_or_default();
    let notice = match call.form.one("action") {
        Some("trust") => decide(call, address, Some(ContactDecision::Trusted)).await?,
        Some("block") => decide(call, address, Some(ContactDecision::Blocked)).await?,
        Some("undecide") => decide(call, address, None).await?,
        Some("forget") => {
            let (caller, inbox_id) = call.authorize_inbox::<ListEntryDelete>()?;
            call.with_fix(contacts::forget(call.app(), &caller, &inbox_id, address).await)?;
            "deleted"
        }
        _ => {
            call.authorize_inbox::<ListEntryCreate>()?;
            let (caller, inbox_id) = call.authorize_inbox::<MessageRead>()?;
            call.with_fix(contacts::get(call.app(), &caller, &inbox_id, address).await)?;
            let problem = FieldError::new("action", "is trust, block, undecide or forget");
            return Err(Error::Invalid(vec![problem]).into());
        }
    };
    Ok(to_contacts(call, notice))
}

async fn decide(
    call: &ConsoleCall,
    address: &str,
    decision: Option<ContactDecision>,
) -> Result<&'static str, ApiError> {
    let (caller, inbox_id) = call.authorize_inbox::<ListEntryCreate>()?;
    call.with_fix(contacts::decide(call.app(), &caller, &inbox_id, address, decision).await)?;
    Ok("saved")
}

fn to_contacts(call: &ConsoleCall, notice: &str) -> HttpResponse {
    call.redirect(&links::with_query(&links::in_inbox(&call.inbox_id(), "contacts"), &[("notice", notice)]))
}

fn row(contact: &Contact) -> ContactRow {
    ContactRow {
        address: contact.address.clone(),
        name: contact.name.as_deref().map(|name| shown(name, 100)).unwrap_or_default(),
        is_trusted: contact.decision == Some(ContactDecision::Trusted),
        is_blocked: contact.decision == Some(ContactDecision::Blocked),
        received: contact.received_count,
        authenticated: contact.authenticated_count,
        sent: contact.sent_count,
        since: Moment(contact.created_at),
    }
}
