//! `GET /v0/pods/{pod_id}/drafts/{draft_id}`

use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Answer, drafts};
use crate::views::Draft;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/drafts/{draft_id}",
    operation_id = "get_pod_draft",
    tag = "Drafts",
    summary = "Read a draft of a pod",
    description = "Reads a draft with its bodies. Needs `draft_read`.",
    params(("pod_id" = String, Path, description = "The pod"), ("draft_id" = String, Path, description = "The draft")),
    responses((status = 200, description = "The draft", body = Draft))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Draft> {
    drafts::get::handle(call.within_pod(Permission::DraftRead).await?).await
}
