//! `DELETE /v0/members/{member_id}`

use inboxd_core::app::members;
use inboxd_core::model::Permission;
use inboxd_core::rules::access;

use crate::auth::AuthenticatedRequest;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/members/{member_id}",
    operation_id = "delete_member",
    tag = "Members",
    summary = "Remove member",
    description = "Removes a member or withdraws an invitation, and revokes all keys of the member. Requires `member_delete`, except for members that remove themselves; the owner cannot be removed.",
    params(("member_id" = String, Path, description = "Id of the member")),
    responses((status = 204, description = "Removed"))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> NoContent {
    let member_id = call.member_id();
    match &member_id {
        Ok(member_id) => access::require_removal(&call.caller, *member_id)?,
        Err(_) => call.require(Permission::MemberDelete)?,
    }
    members::remove(call.app(), &call.caller, member_id?).await?;
    Ok(no_content())
}
