//! `POST …/messages/batch-update`

use actix_web::web::Json;
use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageUpdate;
use serde::Serialize;
use utoipa::ToSchema;

use crate::authorized::Authorized;
use crate::body::{LabelNames, MessageIds, StringList, request};
use crate::endpoints::JsonResult;
use crate::views::LabelsView;

request! {
    /// Messages to label.
    pub(crate) struct BatchUpdateRequest {
        /// 1 to 50 distinct message ids.
        message_ids: MessageIds,
        /// Labels to add.
        add_labels: Option<StringList>,
        /// Labels to remove.
        remove_labels: Option<StringList>,
    }
}

/// Messages found; unknown ids are skipped.
#[derive(Serialize, ToSchema)]
pub(crate) struct BatchUpdateResponse {
    /// Maximum number of ids per request.
    limit: usize,
    /// Number of messages in this response.
    count: usize,
    /// Messages with their labels.
    updates: Vec<LabelsView>,
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/batch-update",
    operation_id = "batch_update_messages",
    tag = "Messages",
    summary = "Label messages in batch",
    description = "Changes the labels of all messages or of none, and skips unknown ids.",
    request_body = BatchUpdateRequest,
    responses((status = 200, description = "The messages with their labels", body = BatchUpdateResponse))
)]
pub(crate) async fn handle(mut call: Authorized<MessageUpdate>) -> JsonResult<BatchUpdateResponse> {
    let inbox_id = call.inbox_id();
    let read = call.body::<BatchUpdateRequest>().await?.map(|request| {
        let BatchUpdateRequest { message_ids, add_labels, remove_labels } = request;
        (message_ids.0, LabelNames::new(add_labels, remove_labels))
    });
    let (message_ids, labels) = read.checked(|(message_ids, labels)| {
        let of_ids = messages::problems_of_ids(message_ids, messages::MAX_BATCH_UPDATE_IDS);
        of_ids.into_iter().chain(labels.problems()).collect()
    })?;
    let change = labels.change()?;
    let labelled = messages::batch_update(call.app(), &call.caller, &inbox_id, &message_ids, &change).await?;
    let updates: Vec<LabelsView> = labelled.into_iter().map(LabelsView::from).collect();
    Ok(Json(BatchUpdateResponse { limit: messages::MAX_BATCH_UPDATE_IDS, count: updates.len(), updates }))
}
