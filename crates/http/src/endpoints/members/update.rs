//! `PATCH /v0/members/{member_id}`

use actix_web::web::Json;
use inboxd_core::app::members::{self, MemberChange};
use inboxd_core::model::Permission;

use crate::auth::AuthenticatedRequest;
use crate::body::{DisplayName, GivenRole, InboxIds, Nullable, request};
use crate::endpoints::JsonResult;
use crate::views::MemberView;

request! {
    /// Changes of a member; absent fields keep their value.
    pub(crate) struct MemberChangeRequest {
        /// Name of the member.
        #[schema(value_type = Option<DisplayName>)]
        name: Option<String>,
        /// `admin` or `member`.
        #[schema(value_type = Option<GivenRole>)]
        role: Option<String>,
        /// Inboxes that the member is limited to; an empty list or null means all.
        #[schema(value_type = Option<InboxIds>)]
        inbox_ids: Nullable<InboxIds>,
    }
}

impl From<MemberChangeRequest> for MemberChange {
    fn from(request: MemberChangeRequest) -> Self {
        let MemberChangeRequest { name, role, inbox_ids } = request;
        let inbox_ids = inbox_ids.sent().map(|inbox_ids| inbox_ids.unwrap_or_default().0);
        Self { name, role, inbox_ids }
    }
}

#[utoipa::path(
    patch,
    path = "/v0/members/{member_id}",
    operation_id = "update_member",
    tag = "Members",
    summary = "Update member",
    description = "Changes the name, role and inboxes of a member. The role of the owner cannot be changed. A change of role or inboxes is refused if the resulting role exceeds the permissions of the caller. Requires `member_update`.",
    params(("member_id" = String, Path, description = "Id of the member")),
    request_body = MemberChangeRequest,
    responses((status = 200, description = "The member", body = MemberView))
)]
pub(crate) async fn handle(mut call: AuthenticatedRequest) -> JsonResult<MemberView> {
    call.require(Permission::MemberUpdate)?;
    let read = call.body::<MemberChangeRequest>().await?.map(MemberChange::from);
    let change = read.checked(members::problems_of_change)?;
    let member_id = call.member_id()?;
    Ok(Json(members::update(call.app(), &call.caller, member_id, change).await?.into()))
}
