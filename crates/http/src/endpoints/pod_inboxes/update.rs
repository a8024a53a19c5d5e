//! `PATCH /v0/pods/{pod_id}/inboxes/{inbox_id}`

use actix_web::web::Json;
use inboxd_core::app::inboxes::{self, InboxChange};
use inboxd_core::app::pods;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::inboxes::update::InboxChangeRequest;
use crate::views::Inbox;

#[utoipa::path(
    patch,
    path = "/v0/pods/{pod_id}/inboxes/{inbox_id}",
    operation_id = "update_pod_inbox",
    tag = "Pods",
    summary = "Change an inbox of a pod",
    description = "Changes the display name and the metadata; an address never changes. Needs `inbox_update`.",
    params(("pod_id" = String, Path, description = "The pod"), ("inbox_id" = String, Path, description = "The inbox")),
    request_body = InboxChangeRequest,
    responses((status = 200, description = "The inbox", body = Inbox))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<Inbox> {
    let (pod_id, inbox_id) = call.pod_inbox(Permission::InboxUpdate)?;
    let read = call.body::<InboxChangeRequest>().await?.map(InboxChange::from);
    let change = read.checked(inboxes::problems_of_change)?;
    call.require_space_for(&change)?;
    let within = pods::enter_inbox(call.app(), &call.caller, pod_id, &inbox_id).await?;
    Ok(Json(inboxes::update(call.app(), &within, &inbox_id, change).await?.into()))
}
