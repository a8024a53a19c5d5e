//! `POST …/messages/{message_id}/reply`

use inboxd_core::app::messages::{self, Audience};
use inboxd_core::app::{Letter, problems_beside_everyone, problems_of_answer};
use inboxd_core::model::permissions::MessageSend;

use crate::authorized::Authorized;
use crate::body::ReplyRequest;
use crate::idempotent_send::{SendKeyParams, SendReply, once, show_dry_run};
use crate::views::{SendAnswer, SendResponse};

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/reply",
    operation_id = "reply_to_message",
    tag = "Messages",
    summary = "Reply to message",
    description = "Sends a reply in the thread of the message. With `reply_all` it goes to the sender and all recipients, and no recipients may be named. With `dry_run` it also requires `message_read`.",
    params(
        SendKeyParams
    ),
    request_body = ReplyRequest,
    responses(
        (status = 200, description = "Accepted for delivery; with `dry_run` the result that the send would have", body = SendAnswer),
        (status = 202, description = "Held by a policy until a person approves it", body = SendResponse)
    )
)]
pub(crate) async fn handle(mut call: Authorized<MessageSend>) -> SendReply {
    let inbox_id = call.inbox_id();
    let (read, body) = call.sending::<ReplyRequest>().await?;
    let read = read.map(|request| {
        let audience = if request.reply_all == Some(true) { Audience::Everyone } else { Audience::Sender };
        (request.dry_run == Some(true), audience, Letter::from(request))
    });
    let (is_dry, audience, letter) = read.checked(|(_, audience, letter)| {
        let mut problems = problems_of_answer(letter);
        if *audience == Audience::Everyone {
            problems.extend(problems_beside_everyone(letter));
        }
        call.problems_with_key(problems)
    })?;
    let message_id = call.message_id(&inbox_id).await?;
    let (call, caller) = call.into_parts();
    if is_dry {
        let app = call.app().clone();
        let dry_run = messages::dry_run_reply(&app, &caller, &inbox_id, &message_id, audience, letter);
        return show_dry_run(call, dry_run).await;
    }
    once(call, caller, body, move |app, caller, claim| async move {
        messages::reply(&app, &caller, &inbox_id, &message_id, audience, letter, claim).await
    })
    .await
}
