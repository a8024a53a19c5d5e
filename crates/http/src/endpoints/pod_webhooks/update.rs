//! `PATCH /v0/pods/{pod_id}/webhooks/{webhook_id}`

use actix_web::web::Json;
use inboxd_core::FieldError;
use inboxd_core::app::webhooks::{self, WebhookChange, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::{EventTypeNames, InboxIds, Strings, request};
use crate::endpoints::Answer;
use crate::endpoints::webhooks::{empty, of_the_path};
use crate::views::Webhook;

request! {
    /// What to change; what is absent stays.
    pub(crate) struct PodWebhookChangeRequest {
        /// The kinds of events to tell of from now on, in place of those before; an empty list is all but those of mail
        /// that lists hide.
        #[schema(value_type = Option<EventTypeNames>)]
        event_types: Option<Strings>,
        /// Whether anything is sent. What happens while nothing is sent is not sent later, unless it is replayed.
        enabled: Option<bool>,
        /// The pod comes from the path: they are refused.
        #[schema(schema_with = empty)]
        add_pod_ids: Option<Strings>,
        /// The pod comes from the path: they are refused.
        #[schema(schema_with = empty)]
        remove_pod_ids: Option<Strings>,
        /// Inboxes to listen to as well.
        add_inbox_ids: Option<InboxIds>,
        /// Inboxes to listen to no longer.
        remove_inbox_ids: Option<InboxIds>,
    }
}

/// The change that is asked for, and what the path alone may say.
fn read(request: PodWebhookChangeRequest) -> (WebhookChange, Vec<FieldError>) {
    let PodWebhookChangeRequest { event_types, enabled, add_pod_ids, remove_pod_ids, add_inbox_ids, remove_inbox_ids } =
        request;
    let change = WebhookChange {
        event_types: event_types.map(|names| names.0),
        enabled,
        add_inbox_ids: add_inbox_ids.unwrap_or_default().0,
        remove_inbox_ids: remove_inbox_ids.unwrap_or_default().0,
        ..WebhookChange::default()
    };
    (change, of_the_path("pod", [("add_pod_ids", add_pod_ids), ("remove_pod_ids", remove_pod_ids)]))
}

#[utoipa::path(
    patch,
    path = "/v0/pods/{pod_id}/webhooks/{webhook_id}",
    operation_id = "update_pod_webhook",
    tag = "Webhooks",
    summary = "Change a webhook of a pod",
    description = "Changes what a webhook of the pod tells of and listens to within it, and whether it does. Enabling it clears `failing_since`. Hearing more of mail that lists hide, or again, takes the `label_*_read` permission of its label. Needs `webhook_update`, and `message_read` to tell of mail that comes in.",
    params(("pod_id" = String, Path, description = "The pod"), ("webhook_id" = String, Path, description = "The webhook")),
    request_body = PodWebhookChangeRequest,
    responses(
        (status = 200, description = "The webhook", body = Webhook),
        (status = 400, description = "No such kind of event")
    )
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<Webhook> {
    let within = Within::Pod(call.pod(Permission::WebhookUpdate)?);
    let read = call.body::<PodWebhookChangeRequest>().await?.map(read);
    let (change, _) = read.checked(|(change, of_the_path)| {
        webhooks::problems_of_change(change).into_iter().chain(of_the_path.clone()).collect()
    })?;
    Ok(Json(webhooks::update(call.app(), &call.caller, &within, call.webhook_id()?, change).await?.into()))
}
