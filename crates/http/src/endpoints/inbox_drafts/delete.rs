//! `DELETE /v0/inboxes/{inbox_id}/drafts/{draft_id}`

use inboxd_core::app::drafts;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/drafts/{draft_id}",
    operation_id = "delete_draft",
    tag = "Drafts",
    summary = "Delete a draft",
    description = "Deletes a draft for good; a scheduled one is not sent. Needs `draft_delete`.",
    params(
        ("inbox_id" = String, Path, description = "The inbox"),
        ("draft_id" = String, Path, description = "The draft")
    ),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    let inbox_id = call.inbox(Permission::DraftDelete)?;
    drafts::delete(call.app(), &call.caller, &inbox_id, call.draft_id()?).await?;
    Ok(gone())
}
