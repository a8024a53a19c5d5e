//! `POST …/messages/{message_id}/reply`

use inboxd_core::app::messages::{self, Audience};
use inboxd_core::app::{Letter, problems_beside_everyone, problems_of_answer};
use inboxd_core::model::permissions::MessageSend;

use crate::authorized::Authorized;
use crate::body::ReplyRequest;
use crate::idempotent_send::{SendReply, once};
use crate::query_docs::SendKeyParams;
use crate::views::SendResponse;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/reply",
    operation_id = "reply_to_message",
    tag = "Messages",
    summary = "Reply to message",
    description = "Sends a reply in the thread of the message. With `reply_all` it goes to the sender and all recipients, and no recipients may be named.",
    params(
        SendKeyParams
    ),
    request_body = ReplyRequest,
    responses(
        (status = 200, description = "Accepted for delivery", body = SendResponse),
        (status = 202, description = "Held by a policy until a person approves it", body = SendResponse)
    )
)]
pub(crate) async fn handle(mut call: Authorized<MessageSend>) -> SendReply {
    let inbox_id = call.inbox_id();
    let (read, body) = call.sending::<ReplyRequest>().await?;
    let read = read.map(|request| {
        let audience = if request.reply_all == Some(true) { Audience::Everyone } else { Audience::Sender };
        (audience, Letter::from(request))
    });
    let (audience, letter) = read.checked(|(audience, letter)| {
        let mut problems = problems_of_answer(letter);
        if *audience == Audience::Everyone {
            problems.extend(problems_beside_everyone(letter));
        }
        call.problems_with_key(problems)
    })?;
    let message_id = call.message_id(&inbox_id).await?;
    let (call, caller) = call.into_parts();
    once(call, caller, body, move |app, caller, claim| async move {
        messages::reply(&app, &caller, &inbox_id, &message_id, audience, letter, claim).await
    })
    .await
}
