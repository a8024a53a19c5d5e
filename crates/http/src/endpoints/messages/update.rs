//! `PATCH …/messages/{message_id}`

use actix_web::web::Json;
use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageUpdate;

use crate::authorized::Authorized;
use crate::body::{LabelNames, StringList, request};
use crate::endpoints::JsonResult;
use crate::views::LabelsView;

request! {
    /// Label changes of a message.
    pub(crate) struct LabelRequest {
        /// Labels to add.
        add_labels: Option<StringList>,
        /// Labels to remove.
        remove_labels: Option<StringList>,
    }
}

#[utoipa::path(
    patch,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}",
    operation_id = "update_message",
    tag = "Messages",
    summary = "Label message",
    request_body = LabelRequest,
    responses((status = 200, description = "The message with its labels", body = LabelsView))
)]
pub(crate) async fn handle(mut call: Authorized<MessageUpdate>) -> JsonResult<LabelsView> {
    let inbox_id = call.inbox_id();
    let read = call.body::<LabelRequest>().await?;
    let read = read.map(|LabelRequest { add_labels, remove_labels }| LabelNames::new(add_labels, remove_labels));
    let change = read.checked(LabelNames::problems)?.change()?;
    let updated =
        messages::update(call.app(), &call.caller, &inbox_id, &call.message_id(&inbox_id).await?, &change).await?;
    Ok(Json(updated.into()))
}
