//! `GET …/contacts`

use actix_web::web::Json;
use inboxd_core::app::contacts;
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::ContactList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/contacts",
    operation_id = "list_contacts",
    tag = "Contacts",
    summary = "List contacts",
    description = "Lists the addresses that have exchanged mail with the inbox, newest first. Received mail counts unless it has several senders, is suspicious, or is spam, blocked, unauthenticated or held on receipt.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of contacts", body = ContactList))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<ContactList> {
    let inbox_id = call.inbox_id();
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = contacts::list(call.app(), &call.caller, &inbox_id, paging.request.clone()).await?;
    Ok(Json(ContactList::new(page, &paging)))
}
