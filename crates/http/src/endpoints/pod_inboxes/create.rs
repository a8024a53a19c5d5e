//! `POST /v0/pods/{pod_id}/inboxes`

use actix_web::web::Json;
use inboxd_core::app::inboxes::{self, NewInbox};
use inboxd_core::app::pods;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::inboxes::create::NewInboxRequest;
use crate::views::Inbox;

#[utoipa::path(
    post,
    path = "/v0/pods/{pod_id}/inboxes",
    operation_id = "create_pod_inbox",
    tag = "Pods",
    summary = "Make an inbox in a pod",
    description = "Makes an inbox in a pod, or answers the one that the same `client_id` made there before. Needs `inbox_create`.",
    params(("pod_id" = String, Path, description = "The pod")),
    request_body = NewInboxRequest,
    responses((status = 200, description = "The inbox", body = Inbox))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<Inbox> {
    let pod_id = call.pod(Permission::InboxCreate)?;
    let read = call.body::<NewInboxRequest>().await?.map(NewInbox::from);
    let new = read.checked(|new| inboxes::problems_of_new(call.app(), new))?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    Ok(Json(inboxes::create(call.app(), &within, new).await?.into()))
}
