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
    summary = "Remove a member",
    description = "Removes a member, or takes an invitation back, and revokes every key they held. Requires `member_delete`, except to remove oneself, which every role but the owner may.",
    params(("member_id" = String, Path, description = "The member")),
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
