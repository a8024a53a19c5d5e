//! `POST /v0/pods/{pod_id}/lists/{direction}/{type}`

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
    path = "/v0/pods/{pod_id}/lists/{direction}/{type}",
    operation_id = "create_pod_list_entry",
    tag = "Lists",
    summary = "Put somebody on a list of a pod",
    description = "Puts an address, or a domain with its subdomains, on a list for the mail of the inboxes of one pod. An allow list with any entry keeps out everybody else. Needs `list_entry_create`.",
    params(("pod_id" = String, Path, description = "The pod"), ListParams),
    request_body = NewEntryRequest,
    responses((status = 200, description = "The entry", body = ListEntry))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<ListEntry> {
    let list = list_of(&call, Permission::ListEntryCreate)?;
    let new = new_entry(&mut call).await?;
    let made = lists::create(call.app(), &call.caller, &list, new).await?;
    Ok(Json(made.into()))
}
