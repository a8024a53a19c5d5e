//! `POST …/drafts/{draft_id}/send`

use inboxd_core::app::drafts;
use inboxd_core::model::permissions::DraftSend;

use crate::authorized::Authorized;
use crate::body::{LabelNames, StringList, request};
use crate::idempotent_send::{SendKeyParams, SendReply, once, show_dry_run};
use crate::views::{SendAnswer, SendResponse};

request! {
    /// Label changes of the sent message. The body is optional.
    pub(crate) struct SendDraftRequest {
        /// Labels to add.
        add_labels: Option<StringList>,
        /// Labels of the draft that the message does not inherit.
        remove_labels: Option<StringList>,
        /// Whether a reply to an automatic message or bulk mail is permitted. Without it such a reply is refused.
        allow_automatic: Option<bool>,
        /// Whether the response only shows the result that the send would have. Nothing is stored or sent. Also requires `draft_read`.
        dry_run: Option<bool>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/drafts/{draft_id}/send",
    operation_id = "send_draft",
    tag = "Drafts",
    summary = "Send draft",
    description = "Sends a draft at once, regardless of its schedule, and removes it. Also requires `message_read` for a forward.",
    params(
        SendKeyParams
    ),
    request_body = SendDraftRequest,
    responses(
        (status = 200, description = "Accepted for delivery; with `dry_run` the result that the send would have", body = SendAnswer),
        (status = 202, description = "Held by a policy until a person approves it", body = SendResponse)
    )
)]
pub(crate) async fn handle(mut call: Authorized<DraftSend>) -> SendReply {
    let inbox_id = call.inbox_id();
    let (read, body) = call.sending::<SendDraftRequest>().await?;
    let read = read.map(|SendDraftRequest { add_labels, remove_labels, allow_automatic, dry_run }| {
        (LabelNames::new(add_labels, remove_labels), allow_automatic == Some(true), dry_run == Some(true))
    });
    let (labels, allow_automatic, is_dry) = read.checked(|(labels, ..)| call.problems_with_key(labels.problems()))?;
    let change = labels.change()?;
    let draft_id = call.draft_id()?;
    let (call, caller) = call.into_parts();
    if is_dry {
        let app = call.app().clone();
        let dry_run = drafts::dry_run_send(&app, &caller, &inbox_id, draft_id, &change, allow_automatic);
        return Box::pin(show_dry_run(call, dry_run)).await;
    }
    once(call, caller, body, move |app, caller, claim| async move {
        drafts::send(&app, &caller, &inbox_id, draft_id, &change, allow_automatic, claim).await
    })
    .await
}
