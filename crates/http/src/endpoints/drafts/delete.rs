//! `DELETE …/drafts/{draft_id}`

use inboxd_core::app::drafts;
use inboxd_core::model::permissions::DraftDelete;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/drafts/{draft_id}",
    operation_id = "delete_draft",
    tag = "Drafts",
    summary = "Delete draft",
    description = "Deletes a draft permanently. A scheduled draft is not sent, and needs `draft_send` too.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<DraftDelete>) -> NoContent {
    drafts::delete(call.app(), &call.caller, &call.inbox_id(), call.draft_id()?).await?;
    Ok(no_content())
}
