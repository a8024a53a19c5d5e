//! `PATCH /v0/webhooks/{webhook_id}`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, WebhookChange, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::{EventTypeNames, InboxIds, Strings, request};
use crate::endpoints::Answer;
use crate::views::Webhook;

request! {
    /// What to change; what is absent stays.
    pub(crate) struct WebhookChangeRequest {
        /// The kinds of events to tell of from now on, in place of those before; an empty list is all but those of mail
        /// that lists hide.
        #[schema(value_type = Option<EventTypeNames>)]
        event_types: Option<Strings>,
        /// Whether anything is sent. What happens while nothing is sent is not sent later, unless it is replayed.
        enabled: Option<bool>,
        /// Pods to listen to as well. A webhook that listens to everything within its place hears no more by this.
        add_pod_ids: Option<Strings>,
        /// Pods to listen to no longer. When the last of pods and inboxes is gone, it listens to nothing.
        remove_pod_ids: Option<Strings>,
        /// Inboxes to listen to as well.
        add_inbox_ids: Option<InboxIds>,
        /// Inboxes to listen to no longer.
        remove_inbox_ids: Option<InboxIds>,
    }
}

impl From<WebhookChangeRequest> for WebhookChange {
    fn from(request: WebhookChangeRequest) -> Self {
        let WebhookChangeRequest { event_types, enabled, add_pod_ids, remove_pod_ids, add_inbox_ids, remove_inbox_ids } =
            request;
        Self {
            event_types: event_types.map(|names| names.0),
            enabled,
            add_pod_ids: add_pod_ids.unwrap_or_default().0,
            remove_pod_ids: remove_pod_ids.unwrap_or_default().0,
            add_inbox_ids: add_inbox_ids.unwrap_or_default().0,
            remove_inbox_ids: remove_inbox_ids.unwrap_or_default().0,
        }
    }
}

#[utoipa::path(
    patch,
    path = "/v0/webhooks/{webhook_id}",
    operation_id = "update_webhook",
    tag = "Webhooks",
    summary = "Change a webhook",
    description = "Changes what a webhook tells of and listens to, and whether it does. Enabling it clears `failing_since`. Hearing more of mail that lists hide, or again, takes the `label_*_read` permission of its label. Needs `webhook_update`, and `message_read` to tell of mail that comes in.",
    params(("webhook_id" = String, Path, description = "The webhook")),
    request_body = WebhookChangeRequest,
    responses(
        (status = 200, description = "The webhook", body = Webhook),
        (status = 400, description = "No such kind of event")
    )
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<Webhook> {
    call.require(Permission::WebhookUpdate)?;
    let within = Within::Reach;
    let read = call.body::<WebhookChangeRequest>().await?.map(WebhookChange::from);
    let change = read.checked(webhooks::problems_of_change)?;
    Ok(Json(webhooks::update(call.app(), &call.caller, &within, call.webhook_id()?, change).await?.into()))
}
