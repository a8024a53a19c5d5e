//! `POST /v0/members`

use actix_web::web::Json;
use inboxd_core::app::members::{self, NewMember};
use inboxd_core::model::Permission;

use crate::auth::AuthenticatedRequest;
use crate::body::{ClientId, DisplayName, GivenRole, InboxIds, request};
use crate::endpoints::JsonResult;
use crate::views::MemberView;

request! {
    /// Member to invite.
    pub(crate) struct NewMemberRequest {
        /// Email address that receives the invitation.
        #[schema(example = "maria@example.org")]
        email: String,
        /// `admin` or `member`.
        #[schema(value_type = GivenRole, example = "member")]
        role: String,
        /// Inboxes that the member is limited to; by default all.
        inbox_ids: Option<InboxIds>,
        /// Name of the member; by default the local part of the address.
        #[schema(value_type = Option<DisplayName>)]
        name: Option<String>,
        /// Idempotency key: a repeat returns the member invited before.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
    }
}

impl From<NewMemberRequest> for NewMember {
    fn from(request: NewMemberRequest) -> Self {
        let NewMemberRequest { email, role, inbox_ids, name, client_id } = request;
        Self { email, role, inbox_ids: inbox_ids.unwrap_or_default().0, name, client_id }
    }
}

#[utoipa::path(
    post,
    path = "/v0/members",
    operation_id = "create_member",
    tag = "Members",
    summary = "Invite member",
    description = "Mails an invitation; the member joins by signing in with the address. Only owners, admins and keys of the organization may invite, and only after the owner address is confirmed. The role may not exceed the permissions of the caller. Requires `member_create`.",
    request_body = NewMemberRequest,
    responses((status = 200, description = "The invited member", body = MemberView))
)]
pub(crate) async fn handle(mut call: AuthenticatedRequest) -> JsonResult<MemberView> {
    call.require(Permission::MemberCreate)?;
    let read = call.body::<NewMemberRequest>().await?.map(NewMember::from);
    let new = read.checked(|new| members::problems_of_new(call.app(), new))?;
    Ok(Json(members::invite(call.app(), &call.caller, new).await?.into()))
}
