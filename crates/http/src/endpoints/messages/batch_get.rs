//! `POST …/messages/batch-get`

use actix_web::web::Json;
use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageRead;
use serde::Serialize;
use utoipa::ToSchema;

use crate::authorized::Authorized;
use crate::body::{MessageIds, request};
use crate::endpoints::JsonResult;
use crate::endpoints::messages::requested::all_requested;
use crate::views::{BodyFormat, MessageView};

request! {
    /// Messages to read.
    pub(crate) struct BatchGetRequest {
        /// 1 to 500 distinct message ids.
        message_ids: MessageIds,
    }
}

/// Messages found; unknown ids are skipped.
#[derive(Serialize, ToSchema)]
pub(crate) struct BatchGetResponse {
    /// Maximum number of ids per request.
    limit: usize,
    /// Number of messages in this response.
    count: usize,
    /// Messages with their bodies, newest first.
    messages: Vec<MessageView>,
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/batch-get",
    operation_id = "batch_get_messages",
    tag = "Messages",
    summary = "Read messages in batch",
    description = "Returns messages with their bodies and skips unknown ids. The bodies of several messages may have at most 32 MiB together; larger requests are refused with 413 `payload_too_large`, which states how many of the messages fit.",
    request_body = BatchGetRequest,
    responses((status = 200, description = "The messages", body = BatchGetResponse))
)]
pub(crate) async fn handle(mut call: Authorized<MessageRead>) -> JsonResult<BatchGetResponse> {
    let inbox_id = call.inbox_id();
    let read = call.body::<BatchGetRequest>().await?.map(|request| request.message_ids);
    let message_ids = read.checked(|ids| messages::problems_of_ids(&ids.0, messages::MAX_BATCH_GET_IDS))?;
    let found = messages::batch_get(call.app(), &call.caller, &inbox_id, &message_ids.0).await?;
    let messages = all_requested(&call, found, BodyFormat::Text).await?;
    Ok(Json(BatchGetResponse { limit: messages::MAX_BATCH_GET_IDS, count: messages.len(), messages }))
}
