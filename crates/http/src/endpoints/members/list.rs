//! `GET /v0/members`

use actix_web::web::Json;
use inboxd_core::app::members;
use inboxd_core::model::Permission;

use crate::auth::AuthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::MemberList;

#[utoipa::path(
    get,
    path = "/v0/members",
    operation_id = "list_members",
    tag = "Members",
    summary = "List members",
    description = "Lists the owner, the members and the invited members, newest first. Every role may call this. Requires `member_read`.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of members", body = MemberList))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> JsonResult<MemberList> {
    call.require(Permission::MemberRead)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = members::list(call.app(), &call.caller, paging.request.clone()).await?;
    Ok(Json(MemberList::new(page, &paging)))
}
