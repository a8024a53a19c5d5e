//! `POST /v0/members`

use actix_web::web::Json;
use inboxd_core::app::members::{self, NewMember};
use inboxd_core::model::Permission;

use crate::auth::AuthenticatedRequest;
use crate::body::{ClientId, DisplayName, GivenRole, InboxIds, request};
use crate::endpoints::JsonResult;
use crate::views::MemberView;

request! {
    /// Who is invited.
    pub(crate) struct NewMemberRequest {
        /// The person's address; the invitation is mailed to it.
        #[schema(example = "maria@example.org")]
        email: String,
        /// `admin` or `member`.
        #[schema(value_type = GivenRole, example = "member")]
        role: String,
        /// The inboxes that a member is limited to; without any, all.
        inbox_ids: Option<InboxIds>,
        /// The person's name; what stands before the `@` where it is absent.
        #[schema(value_type = Option<DisplayName>)]
        name: Option<String>,
        /// An idempotency key: the same one answers the member that it invited before.
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
    summary = "Invite a member",
    description = "Invites somebody by mail; they join by signing in with their address. Only owners and admins can, and keys of the organization, and only once the owner address is confirmed. Nobody gives a role that allows more than they hold. Requires `member_create`.",
    request_body = NewMemberRequest,
    responses((status = 200, description = "The member, invited", body = MemberView))
)]
pub(crate) async fn handle(mut call: AuthenticatedRequest) -> JsonResult<MemberView> {
    call.require(Permission::MemberCreate)?;
    let read = call.body::<NewMemberRequest>().await?.map(NewMember::from);
    let new = read.checked(|new| members::problems_of_new(call.app(), new))?;
    Ok(Json(members::invite(call.app(), &call.caller, new).await?.into()))
}
