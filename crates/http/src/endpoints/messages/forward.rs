//! `POST …/messages/{message_id}/forward`

use inboxd_core::app::{Letter, messages, problems_of_letter};
use inboxd_core::model::permissions::MessageSend;

use crate::authorized::Authorized;
use crate::body::SendRequest;
use crate::idempotent_send::{SendKeyParams, SendReply, once, show_dry_run};
use crate::views::{SendAnswer, SendResponse};

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/forward",
    operation_id = "forward_message",
    tag = "Messages",
    summary = "Forward message",
    description = "Forwards a message with its text and attachments in a new thread. Also requires `message_read` for the forwarded message.",
    params(
        SendKeyParams
    ),
    request_body = SendRequest,
    responses(
        (status = 200, description = "Accepted for delivery; with `dry_run` the result that the send would have", body = SendAnswer),
        (status = 202, description = "Held by a policy until a person approves it", body = SendResponse)
    )
)]
pub(crate) async fn handle(mut call: Authorized<MessageSend>) -> SendReply {
    let inbox_id = call.inbox_id();
    let (read, body) = call.sending::<SendRequest>().await?;
    let read = read.map(|request| (request.dry_run == Some(true), Letter::from(request)));
    let (is_dry, letter) = read.checked(|(_, letter)| call.problems_with_key(problems_of_letter(letter)))?;
    let message_id = call.message_id(&inbox_id).await?;
    let (call, caller) = call.into_parts();
    if is_dry {
        let app = call.app().clone();
        let dry_run = messages::dry_run_forward(&app, &caller, &inbox_id, &message_id, letter);
        return show_dry_run(call, dry_run).await;
    }
    once(call, caller, body, move |app, caller, claim| async move {
        messages::forward(&app, &caller, &inbox_id, &message_id, letter, claim).await
    })
    .await
}
