//! `GET /v0/inboxes/{inbox_id}/messages/{message_id}`

use actix_web::HttpResponse;
use inboxd_core::app::messages;
use inboxd_core::model::Permission;
use inboxd_core::ports::Sources;

use crate::again::Recurring;
use crate::auth::Authenticated;
use crate::error::ApiError;
use crate::path;
use crate::views::Message;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}",
    operation_id = "get_message",
    tag = "Messages",
    summary = "Read a message",
    description = "Reads a message with its bodies. Needs `message_read`.",
    params(
        ("inbox_id" = String, Path, description = "The inbox"),
        ("message_id" = String, Path, description = "The message, with or without angle brackets")
    ),
    responses((status = 200, description = "The message", body = Message))
)]
pub(crate) async fn handle(call: Recurring) -> Result<HttpResponse, ApiError> {
    call.answer(answer).await
}

async fn answer(call: Authenticated) -> Result<(Message, Option<Sources>), ApiError> {
    let inbox_id = call.inbox(Permission::MessageRead)?;
    let message_id = call.message_id(&inbox_id).await?;
    let message = messages::get(call.app(), &call.caller, &inbox_id, &message_id).await?;
    // Which message is meant by a path that can be read in two ways, depends on which of them is there.
    let is_clear = path::literal_message_id(call.request()).is_none();
    let sources = is_clear.then(|| messages::sources_of_one(&call.caller, &inbox_id, &message_id)).flatten();
    Ok((message.into(), sources))
}
