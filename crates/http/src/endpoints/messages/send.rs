//! `POST /v0/inboxes/{inbox_id}/messages/send`

use actix_web::web::Json;
use inboxd_core::app::{Letter, messages, problems_of_letter};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::SendRequest;
use crate::endpoints::Answer;
use crate::views::SendResponse;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/send",
    operation_id = "send_message",
    tag = "Messages",
    summary = "Send a mail",
    description = "Sends a mail that begins a thread. Needs `message_send`.",
    params(("inbox_id" = String, Path, description = "The inbox")),
    request_body = SendRequest,
    responses((status = 200, description = "Accepted for delivery", body = SendResponse))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<SendResponse> {
    let inbox_id = call.inbox(Permission::MessageSend)?;
    let letter = call.letter::<SendRequest>().await?.map(Letter::from).checked(problems_of_letter)?;
    let sent = messages::send(call.app(), &call.caller, &inbox_id, letter).await?;
    Ok(Json(sent.into()))
}
