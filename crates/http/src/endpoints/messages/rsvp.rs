//! `POST …/messages/{message_id}/rsvp`

use inboxd_core::app::messages::{self, Rsvp, problems_of_rsvp};
use inboxd_core::model::permissions::MessageSend;

use crate::authorized::Authorized;
use crate::body::{RsvpName, request};
use crate::idempotent_send::{SendKeyParams, SendReply, once, show_dry_run};
use crate::views::{SendAnswer, SendResponse};

request! {
    /// Answer to the invitation of a message.
    pub(crate) struct RsvpRequest {
        /// Response.
        #[schema(value_type = RsvpName)]
        response: RsvpName,
        /// Comment for the organizer, at most 4,096 bytes.
        #[schema(max_length = 4096)]
        comment: Option<String>,
        /// Whether the answer may go to an organizer of another domain than that of an unknown sender. Without it such
        /// an answer is refused.
        confirm_organizer: Option<bool>,
        /// Whether the response only shows the result that the send would have. Nothing is stored or sent.
        dry_run: Option<bool>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/rsvp",
    operation_id = "answer_invitation",
    tag = "Messages",
    summary = "Answer invitation",
    description = "Answers the invitation of a received message (`calendar.method` is `request`) by a mail to its organizer with a calendar object (iTIP, RFC 5546). It is a send like a reply: policies, suppressions, quotas and `Idempotency-Key` apply. With `dry_run` it also requires `message_read`.",
    params(
        SendKeyParams
    ),
    request_body = RsvpRequest,
    responses(
        (status = 200, description = "Accepted for delivery; with `dry_run` the result that the send would have", body = SendAnswer),
        (status = 202, description = "Held by a policy until a person approves it", body = SendResponse),
        (status = 409)
    )
)]
pub(crate) async fn handle(mut call: Authorized<MessageSend>) -> SendReply {
    let inbox_id = call.inbox_id();
    let (read, body) = call.sending::<RsvpRequest>().await?;
    let read = read.map(|RsvpRequest { response, comment, confirm_organizer, dry_run }| {
        let rsvp = Rsvp { status: response.0, comment, confirm_organizer: confirm_organizer == Some(true) };
        (dry_run == Some(true), rsvp)
    });
    let (is_dry, rsvp) = read.checked(|(_, rsvp)| call.problems_with_key(problems_of_rsvp(rsvp)))?;
    let message_id = call.message_id(&inbox_id).await?;
    let (call, caller) = call.into_parts();
    if is_dry {
        let app = call.app().clone();
        let dry_run = messages::dry_run_rsvp(&app, &caller, &inbox_id, &message_id, rsvp);
        return show_dry_run(call, dry_run).await;
    }
    once(call, caller, body, move |app, caller, claim| async move {
        messages::rsvp(&app, &caller, &inbox_id, &message_id, rsvp, claim).await
    })
    .await
}
