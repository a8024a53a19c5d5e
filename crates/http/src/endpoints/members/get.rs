//! `GET /v0/members/{member_id}`

use actix_web::web::Json;
use inboxd_core::app::members;
use inboxd_core::model::Permission;

use crate::auth::AuthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::views::MemberView;

#[utoipa::path(
    get,
    path = "/v0/members/{member_id}",
    operation_id = "get_member",
    tag = "Members",
    summary = "Read member",
    description = "Returns a member. Every role may call this. Requires `member_read`.",
    params(("member_id" = String, Path, description = "Id of the member")),
    responses((status = 200, description = "The member", body = MemberView))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> JsonResult<MemberView> {
    call.require(Permission::MemberRead)?;
    let member_id = call.member_id()?;
    Ok(Json(members::get(call.app(), &call.caller, member_id).await?.into()))
}
