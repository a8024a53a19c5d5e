//! `POST …/inboxes`

use actix_web::web::Json;
use inboxd_core::app::inboxes::{self, NewInbox};
use inboxd_core::model::permissions::InboxCreate;

use crate::authorized::Authorized;
use crate::body::{ClientId, DisplayName, InboxStatusName, MetadataPairs, Username, request};
use crate::endpoints::JsonResult;
use crate::views::InboxView;

request! {
    /// The inbox to make. Without any of this it gets a random address.
    pub(crate) struct NewInboxRequest {
        /// What stands before the `@`; made up where it is absent.
        #[schema(value_type = Option<Username>)]
        username: Option<String>,
        /// What stands behind it; the organization's own where it is absent.
        domain: Option<String>,
        /// The name in `From`.
        #[schema(value_type = Option<DisplayName>)]
        display_name: Option<String>,
        /// An idempotency key: the same one answers the inbox that it made before.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
        /// The caller's own pairs.
        metadata: Option<MetadataPairs>,
        /// `active`, or `paused` for an inbox that begins without sending and receiving.
        #[schema(value_type = Option<InboxStatusName>)]
        status: Option<InboxStatusName>,
    }
}

impl From<NewInboxRequest> for NewInbox {
    fn from(request: NewInboxRequest) -> Self {
        let NewInboxRequest { username, domain, display_name, client_id, metadata, status } = request;
        let (metadata, status) = (metadata.unwrap_or_default().0, status.map(|status| status.0));
        Self { username, domain, display_name, client_id, metadata, status }
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes",
    operation_id = "create_inbox",
    tag = "Inboxes",
    summary = "Create inbox",
    description = "Creates an inbox, or returns the one that the same `client_id` created before.",
    request_body = NewInboxRequest,
    responses((status = 200, description = "The inbox", body = InboxView))
)]
pub(crate) async fn handle(mut call: Authorized<InboxCreate>) -> JsonResult<InboxView> {
    let read = call.body::<NewInboxRequest>().await?.map(NewInbox::from);
    let new = read.checked(|new| inboxes::problems_of_new(call.app(), new))?;
    Ok(Json(inboxes::create(call.app(), &call.caller, new).await?.into()))
}
