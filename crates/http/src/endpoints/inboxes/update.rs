//! `PATCH …/inboxes/{inbox_id}`

use actix_web::web::Json;
use inboxd_core::app::inboxes::{self, InboxChange, MetadataChange};
use inboxd_core::model::permissions::InboxUpdate;

use crate::authorized::Authorized;
use crate::body::{DisplayName, InboxStatusName, MetadataChanges, Nullable, QuarantineModeName, request};
use crate::endpoints::JsonResult;
use crate::views::InboxView;

request! {
    /// Changes of an inbox; absent fields keep their value.
    pub(crate) struct InboxChangeRequest {
        /// Display name in `From`; null removes it.
        #[schema(value_type = Option<DisplayName>)]
        display_name: Nullable<String>,
        /// Metadata pairs to set; a null value removes the pair, and null instead of the object removes all pairs.
        #[schema(value_type = Option<MetadataChanges>)]
        metadata: Nullable<MetadataChanges>,
        /// `paused` stops sending and receiving at once, queued messages included. `active` resumes both and needs a
        /// key that is not limited to this inbox.
        #[schema(value_type = Option<InboxStatusName>)]
        status: Option<InboxStatusName>,
        /// Days after which messages are deleted for good, counted from their `timestamp`; null keeps them. Needs
        /// `message_delete` too.
        #[schema(value_type = Option<u32>, minimum = 1, maximum = 3650)]
        retention_days: Nullable<u32>,
        /// Own quarantine of messages that the inbox receives from now on; null leaves it to the organization and the
        /// pod. The strictest of the three applies. A less strict one also requires `agent_armor_release`.
        #[schema(value_type = Option<QuarantineModeName>)]
        quarantine: Nullable<QuarantineModeName>,
    }
}

impl From<InboxChangeRequest> for InboxChange {
    fn from(request: InboxChangeRequest) -> Self {
        let display_name = request.display_name.sent();
        let metadata = match request.metadata {
            Nullable::Absent => MetadataChange::Keep,
            Nullable::Null => MetadataChange::Clear,
            Nullable::Value(changes) => MetadataChange::Merge(changes.0),
        };
        let (status, retention_days) = (request.status.map(|status| status.0), request.retention_days.sent());
        let quarantine = request.quarantine.sent().map(|own| own.map(|mode| mode.0));
        Self { display_name, metadata, status, retention_days, quarantine }
    }
}

#[utoipa::path(
    patch,
    path = "/v0/inboxes/{inbox_id}",
    operation_id = "update_inbox",
    tag = "Inboxes",
    summary = "Update inbox",
    description = "Changes the display name, the metadata, the status, the retention and the quarantine. The address cannot be changed. Also requires `agent_armor_release` for a less strict quarantine.",
    request_body = InboxChangeRequest,
    responses((status = 200, description = "The inbox", body = InboxView))
)]
pub(crate) async fn handle(mut call: Authorized<InboxUpdate>) -> JsonResult<InboxView> {
    let read = call.body::<InboxChangeRequest>().await?.map(InboxChange::from);
    let change = read.checked(inboxes::problems_of_change)?;
    call.require_space_for(&change)?;
    Ok(Json(inboxes::update(call.app(), &call.caller, &call.inbox_id(), change).await?.into()))
}
