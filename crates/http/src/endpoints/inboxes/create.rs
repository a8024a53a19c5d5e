//! `POST …/inboxes`

use actix_web::web::Json;
use inboxd_core::app::inboxes::{self, NewInbox};
use inboxd_core::model::permissions::InboxCreate;

use crate::authorized::Authorized;
use crate::body::{ClientId, DisplayName, InboxStatusName, MetadataPairs, Username, request};
use crate::endpoints::JsonResult;
use crate::views::InboxView;

request! {
    /// Inbox to create. Without a body the address is random.
    pub(crate) struct NewInboxRequest {
        /// Local part of the address; random by default.
        #[schema(value_type = Option<Username>)]
        username: Option<String>,
        /// Domain of the address; by default the inbox domain of the organization.
        domain: Option<String>,
        /// Display name in `From`.
        #[schema(value_type = Option<DisplayName>)]
        display_name: Option<String>,
        /// Idempotency key: a repeat returns the inbox created before.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
        /// Metadata as pairs of name and value.
        metadata: Option<MetadataPairs>,
        /// Initial status; `active` by default.
        #[schema(value_type = Option<InboxStatusName>)]
        status: Option<InboxStatusName>,
        /// Days after which messages are deleted for good; without them they are kept. Needs `message_delete` too.
        #[schema(minimum = 1, maximum = 3650)]
        retention_days: Option<u32>,
    }
}

impl From<NewInboxRequest> for NewInbox {
    fn from(request: NewInboxRequest) -> Self {
        let NewInboxRequest { username, domain, display_name, client_id, metadata, status, retention_days } = request;
        let (metadata, status) = (metadata.unwrap_or_default().0, status.map(|status| status.0));
        Self { username, domain, display_name, client_id, metadata, status, retention_days }
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
