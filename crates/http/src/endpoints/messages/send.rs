//! `POST …/messages/send`

use inboxd_core::app::{Letter, messages, problems_of_letter};
use inboxd_core::model::permissions::MessageSend;

use crate::authorized::Authorized;
use crate::body::SendRequest;
use crate::idempotent_send::{SendKeyParams, SendReply, once, show_dry_run};
use crate::views::{SendAnswer, SendResponse};

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/send",
    operation_id = "send_message",
    tag = "Messages",
    summary = "Send message",
    description = "Sends a message in a new thread.",
    params(SendKeyParams),
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
    let (call, caller) = call.into_parts();
    if is_dry {
        let app = call.app().clone();
        return show_dry_run(call, messages::dry_run_send(&app, &caller, &inbox_id, letter)).await;
    }
    once(call, caller, body, move |app, caller, claim| async move {
        messages::send(&app, &caller, &inbox_id, letter, claim).await
    })
    .await
}
