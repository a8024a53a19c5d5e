//! `PATCH /v0/inboxes/{inbox_id}/webhooks/{webhook_id}`

use actix_web::web::Json;
use inboxd_core::FieldError;
use inboxd_core::app::webhooks::{self, WebhookChange, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::{EventTypeNames, Strings, request};
use crate::endpoints::Answer;
use crate::endpoints::webhooks::{empty, of_the_path};
use crate::views::Webhook;

request! {
    /// What to change; what is absent stays.
    pub(crate) struct InboxWebhookChangeRequest {
        /// The kinds of events to tell of from now on, in place of those before; an empty list is all but those of mail
        /// that lists hide.
        #[schema(value_type = Option<EventTypeNames>)]
        event_types: Option<Strings>,
        /// Whether anything is sent. What happens while nothing is sent is not sent later, unless it is replayed.
        enabled: Option<bool>,
        /// The inbox comes from the path: they are refused.
        #[schema(schema_with = empty)]
        add_pod_ids: Option<Strings>,
        /// The inbox comes from the path: they are refused.
        #[schema(schema_with = empty)]
        remove_pod_ids: Option<Strings>,
        /// The inbox comes from the path: they are refused.
        #[schema(schema_with = empty)]
        add_inbox_ids: Option<Strings>,
        /// The inbox comes from the path: they are refused.
        #[schema(schema_with = empty)]
        remove_inbox_ids: Option<Strings>,
    }
}

/// The change that is asked for, and what the path alone may say.
fn read(request: InboxWebhookChangeRequest) -> (WebhookChange, Vec<FieldError>) {
    let InboxWebhookChangeRequest {
        event_types,
        enabled,
        add_pod_ids,
        remove_pod_ids,
        add_inbox_ids,
        remove_inbox_ids,
    } = request;
    let change = WebhookChange { event_types: event_types.map(|names| names.0), enabled, ..WebhookChange::default() };
    (
        change,
        of_the_path(
            "inbox",
            [
                ("add_pod_ids", add_pod_ids),
                ("remove_pod_ids", remove_pod_ids),
                ("add_inbox_ids", add_inbox_ids),
                ("remove_inbox_ids", remove_inbox_ids),
            ],
        ),
    )
}

#[utoipa::path(
    patch,
    path = "/v0/inboxes/{inbox_id}/webhooks/{webhook_id}",
    operation_id = "update_inbox_webhook",
    tag = "Webhooks",
    summary = "Change a webhook of an inbox",
    description = "Changes what a webhook of the inbox tells of, and whether it does. Enabling it clears `failing_since`. Hearing more of mail that lists hide, or again, takes the `label_*_read` permission of its label. Needs `webhook_update`, and `message_read` to tell of mail that comes in.",
    params(("inbox_id" = String, Path, description = "The inbox"), ("webhook_id" = String, Path, description = "The webhook")),
    request_body = InboxWebhookChangeRequest,
    responses(
        (status = 200, description = "The webhook", body = Webhook),
        (status = 400, description = "No such kind of event")
    )
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<Webhook> {
    let within = Within::Inbox(call.inbox(Permission::WebhookUpdate)?);
    let read = call.body::<InboxWebhookChangeRequest>().await?.map(read);
    let (change, _) = read.checked(|(change, of_the_path)| {
        webhooks::problems_of_change(change).into_iter().chain(of_the_path.clone()).collect()
    })?;
    Ok(Json(webhooks::update(call.app(), &call.caller, &within, call.webhook_id()?, change).await?.into()))
}
