//! `POST …/messages/{message_id}/reply-all`

use inboxd_core::app::messages::{self, Audience};
use inboxd_core::app::{Letter, problems_beside_everyone, problems_of_answer};
use inboxd_core::model::permissions::MessageSend;

use crate::authorized::Authorized;
use crate::body::ReplyAllRequest;
use crate::idempotent_send::{SendKeyParams, SendReply, once, show_dry_run};
use crate::views::{SendAnswer, SendResponse};

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/reply-all",
    operation_id = "reply_all_to_message",
    tag = "Messages",
    summary = "Reply to all",
    description = "Sends a reply to the sender and all recipients of the message, except the inbox itself, in the thread of the message. With `dry_run` it also requires `message_read`.",
    params(
        SendKeyParams
    ),
    request_body = ReplyAllRequest,
    responses(
        (status = 200, description = "Accepted for delivery; with `dry_run` the result that the send would have", body = SendAnswer),
        (status = 202, description = "Held by a policy until a person approves it", body = SendResponse)
    )
)]
pub(crate) async fn handle(mut call: Authorized<MessageSend>) -> SendReply {
    let inbox_id = call.inbox_id();
    let (read, body) = call.sending::<ReplyAllRequest>().await?;
    let read = read.map(|request| (request.dry_run == Some(true), Letter::from(request)));
    let (is_dry, letter) = read.checked(|(_, letter)| {
        let mut problems = problems_of_answer(letter);
        problems.extend(problems_beside_everyone(letter));
        call.problems_with_key(problems)
    })?;
    let message_id = call.message_id(&inbox_id).await?;
    let (call, caller) = call.into_parts();
    if is_dry {
        let app = call.app().clone();
        let dry_run = messages::dry_run_reply(&app, &caller, &inbox_id, &message_id, Audience::Everyone, letter);
        return show_dry_run(call, dry_run).await;
    }
    once(call, caller, body, move |app, caller, claim| async move {
        messages::reply(&app, &caller, &inbox_id, &message_id, Audience::Everyone, letter, claim).await
    })
    .await
}
