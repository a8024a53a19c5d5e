//! `POST /v0/inboxes/{inbox_id}/lists/{direction}/{type}`

use actix_web::web::Json;
use inboxd_core::app::lists;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::lists::create::{NewEntryRequest, new_entry};
use crate::list_path::list_of;
use crate::query_docs::ListParams;
use crate::views::ListEntry;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/lists/{direction}/{type}",
    operation_id = "create_inbox_list_entry",
    tag = "Lists",
    summary = "Put somebody on a list of an inbox",
    description = "Puts an address, or a domain with its subdomains, on a list for the mail of one inbox. An allow list with any entry keeps out everybody else. Needs `list_entry_create`.",
    params(("inbox_id" = String, Path, description = "The inbox"), ListParams),
    request_body = NewEntryRequest,
    responses((status = 200, description = "The entry", body = ListEntry))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<ListEntry> {
    let list = list_of(&call, Permission::ListEntryCreate)?;
    let new = new_entry(&mut call).await?;
    let made = lists::create(call.app(), &call.caller, &list, new).await?;
    Ok(Json(made.into()))
}
