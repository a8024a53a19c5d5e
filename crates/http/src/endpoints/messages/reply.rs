//! `POST /v0/inboxes/{inbox_id}/messages/{message_id}/reply`

use actix_web::web::Json;
use inboxd_core::app::messages::{self, Audience};
use inboxd_core::app::{Letter, problems_of_answer};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::ReplyRequest;
use crate::endpoints::Answer;
use crate::views::SendResponse;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/reply",
    operation_id = "reply_to_message",
    tag = "Messages",
    summary = "Answer a message",
    description = "Answers a message, in its thread. Needs `message_send`.",
    params(
        ("inbox_id" = String, Path, description = "The inbox"),
        ("message_id" = String, Path, description = "The message that is answered")
    ),
    request_body = ReplyRequest,
    responses((status = 200, description = "Accepted for delivery", body = SendResponse))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<SendResponse> {
    let inbox_id = call.inbox(Permission::MessageSend)?;
    let read = call.letter::<ReplyRequest>().await?.map(|request| {
        let audience = if request.reply_all == Some(true) { Audience::Everyone } else { Audience::Sender };
        (audience, Letter::from(request))
    });
    let (audience, letter) = read.checked(|(_, letter)| problems_of_answer(letter))?;
    let (app, caller, message_id) = (call.app(), &call.caller, call.message_id(&inbox_id).await?);
    let sent = messages::reply(app, caller, &inbox_id, &message_id, audience, letter).await?;
    Ok(Json(sent.into()))
}
