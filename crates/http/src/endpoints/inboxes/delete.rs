//! `DELETE /v0/inboxes/{inbox_id}`

use inboxd_core::app::inboxes;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}",
    operation_id = "delete_inbox",
    tag = "Inboxes",
    summary = "Delete an inbox",
    description = "Deletes an inbox with all its mail and revokes the keys that reached only it. Its address stays claimed. Needs `inbox_delete`.",
    params(("inbox_id" = String, Path, description = "The inbox")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    let inbox_id = call.inbox(Permission::InboxDelete)?;
    inboxes::delete(call.app(), &call.caller, &inbox_id).await?;
    Ok(gone())
}
