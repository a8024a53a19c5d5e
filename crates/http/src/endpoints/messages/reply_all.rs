//! `POST …/messages/{message_id}/reply-all`

use inboxd_core::app::messages::{self, Audience};
use inboxd_core::app::{Letter, problems_beside_everyone, problems_of_answer};
use inboxd_core::model::permissions::MessageSend;

use crate::authorized::Authorized;
use crate::body::ReplyAllRequest;
use crate::idempotent_send::{SendReply, once};
use crate::query_docs::SendKeyParams;
use crate::views::SendResponse;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/reply-all",
    operation_id = "reply_all_to_message",
    tag = "Messages",
    summary = "Reply to all",
    description = "Sends a reply to the sender and all recipients of the message, except the inbox itself, in the thread of the message.",
    params(
        SendKeyParams
    ),
    request_body = ReplyAllRequest,
    responses(
        (status = 200, description = "Accepted for delivery", body = SendResponse),
        (status = 202, description = "Held by a policy until a person approves it", body = SendResponse)
    )
)]
pub(crate) async fn handle(mut call: Authorized<MessageSend>) -> SendReply {
    let inbox_id = call.inbox_id();
    let (read, body) = call.sending::<ReplyAllRequest>().await?;
    let letter = read.map(Letter::from).checked(|letter| {
        let mut problems = problems_of_answer(letter);
        problems.extend(problems_beside_everyone(letter));
        call.problems_with_key(problems)
    })?;
    let message_id = call.message_id(&inbox_id).await?;
    let (call, caller) = call.into_parts();
    once(call, caller, body, move |app, caller, claim| async move {
        messages::reply(&app, &caller, &inbox_id, &message_id, Audience::Everyone, letter, claim).await
    })
    .await
}
