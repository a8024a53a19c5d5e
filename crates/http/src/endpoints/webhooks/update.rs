//! `PATCH …/webhooks/{webhook_id}`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, WebhookChange};
use inboxd_core::model::permissions::WebhookUpdate;

use super::take_scope_ids;
use crate::authorized::Authorized;
use crate::body::{EventTypeNames, InboxIds, StringList, Verdicts, request};
use crate::endpoints::JsonResult;
use crate::views::WebhookView;

request! {
    /// Changes of a webhook; absent fields keep their value.
    pub(crate) struct WebhookChangeRequest {
        /// Event types to send, which replace the previous types. An empty list means all except those of spam, blocked
        /// and unauthenticated messages.
        #[schema(value_type = Option<EventTypeNames>)]
        event_types: Option<StringList>,
        /// Verdicts of trust, which replace the previous ones. An empty list means all received messages.
        trust: Option<Verdicts>,
        /// Whether events are sent. Events that occur while the webhook is disabled are sent only by a replay.
        enabled: Option<bool>,
        /// Pods to add. A webhook that receives all events of its scope is not changed by this.
        add_pod_ids: Option<StringList>,
        /// Pods to remove. Without any remaining pod or inbox the webhook receives no events.
        remove_pod_ids: Option<StringList>,
        /// Inboxes to add.
        add_inbox_ids: Option<InboxIds>,
        /// Inboxes to remove.
        remove_inbox_ids: Option<InboxIds>,
    }
}

impl From<WebhookChangeRequest> for WebhookChange {
    fn from(request: WebhookChangeRequest) -> Self {
        let WebhookChangeRequest {
            event_types,
            trust,
            enabled,
            add_pod_ids,
            remove_pod_ids,
            add_inbox_ids,
            remove_inbox_ids,
        } = request;
        Self {
            event_types: event_types.map(|names| names.0),
            trust: trust.map(|trust| trust.0),
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
    summary = "Update webhook",
    description = "Changes the events, pods and inboxes of a webhook, and whether it is enabled. Enabling it clears `failing_since`. More events of hidden mail, or enabling the webhook again, require the `label_*_read` permission of the label. Also requires `message_read` for events of received mail.",
    request_body = WebhookChangeRequest,
    responses(
        (status = 200, description = "The webhook", body = WebhookView),
        (status = 400, description = "Unknown event type")
    )
)]
pub(crate) async fn handle(mut call: Authorized<WebhookUpdate>) -> JsonResult<WebhookView> {
    let scope = call.caller.scope().clone();
    let read = call.body::<WebhookChangeRequest>().await?.map(|mut request| {
        let pods = [("add_pod_ids", &mut request.add_pod_ids), ("remove_pod_ids", &mut request.remove_pod_ids)];
        let inboxes =
            [("add_inbox_ids", &mut request.add_inbox_ids), ("remove_inbox_ids", &mut request.remove_inbox_ids)];
        let refused = take_scope_ids(&scope, pods, inboxes);
        (WebhookChange::from(request), refused)
    });
    let (change, _) = read.checked(|(change, refused)| {
        webhooks::problems_of_change(change).into_iter().chain(refused.clone()).collect()
    })?;
    Ok(Json(webhooks::update(call.app(), &call.caller, call.webhook_id()?, change).await?.into()))
}
