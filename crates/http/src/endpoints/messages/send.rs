//! `POST /v0/inboxes/{inbox_id}/messages/send`

use std::sync::Arc;

use inboxd_core::app::{Letter, messages, problems_of_letter};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::SendRequest;
use crate::query_docs::SendKeyParams;
use crate::sending::{Sending, once};
use crate::views::SendResponse;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/send",
    operation_id = "send_message",
    tag = "Messages",
    summary = "Send a mail",
    description = "Sends a mail that begins a thread. Requires `message_send`.",
    params(("inbox_id" = String, Path, description = "The inbox"), SendKeyParams),
    request_body = SendRequest,
    responses((status = 200, description = "Accepted for delivery", body = SendResponse))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Sending {
    let inbox_id = call.inbox(Permission::MessageSend)?;
    let (read, body) = call.sending::<SendRequest>().await?;
    let letter = read.map(Letter::from).checked(|letter| call.problems_with_key(problems_of_letter(letter)))?;
    let caller = Arc::clone(&call.caller);
    once(call, caller, body, move |app, caller, claim| async move {
        messages::send(&app, &caller, &inbox_id, letter, claim).await
    })
    .await
}
