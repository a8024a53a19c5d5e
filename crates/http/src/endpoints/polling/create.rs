//! `POST …/webhooks/polling`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, NewPollingWebhook};
use inboxd_core::model::permissions::WebhookCreate;

use crate::authorized::Authorized;
use crate::body::{ClientId, InboxIds, SomeEventTypeNames, StringList, request};
use crate::endpoints::JsonResult;
use crate::endpoints::webhooks::take_scope_ids;
use crate::views::CreatedPollingWebhook;

request! {
    /// Polling webhook to create.
    pub(crate) struct NewPollingWebhookRequest {
        /// Name of the subscription, unique in the organization. A repeat returns the earlier one with a new token.
        #[schema(value_type = ClientId)]
        client_id: String,
        /// Event types to read.
        #[schema(value_type = SomeEventTypeNames)]
        event_types: StringList,
        /// Pods whose events are read, at most 10. An event is read if its pod or its inbox is named.
        pod_ids: Option<StringList>,
        /// Inboxes whose events are read, at most 10.
        inbox_ids: Option<InboxIds>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/webhooks/polling",
    operation_id = "create_polling_webhook",
    tag = "Webhooks",
    summary = "Create polling webhook",
    description = "Creates a subscription whose events are read with a token, at GET /v0/webhooks/polling/{webhook_id}/events. Only this response contains the token; a repeat with the same `client_id` replaces it. Events of hidden mail require the `label_*_read` permission of the label. Also requires `message_read` for events of received mail.",
    request_body = NewPollingWebhookRequest,
    responses(
        (status = 200, description = "The polling webhook, with its token", body = CreatedPollingWebhook),
        (status = 400, description = "Unknown event type")
    )
)]
pub(crate) async fn handle(mut call: Authorized<WebhookCreate>) -> JsonResult<CreatedPollingWebhook> {
    let scope = call.caller.scope().clone();
    let read = call.body::<NewPollingWebhookRequest>().await?.map(|mut request| {
        let pods = [("pod_ids", &mut request.pod_ids)];
        let refused = take_scope_ids(&scope, pods, [("inbox_ids", &mut request.inbox_ids)]);
        let NewPollingWebhookRequest { client_id, event_types, pod_ids, inbox_ids } = request;
        let new = NewPollingWebhook {
            client_id,
            event_types: event_types.0,
            pod_ids: pod_ids.unwrap_or_default().0,
            inbox_ids: inbox_ids.unwrap_or_default().0,
        };
        (new, refused)
    });
    let (new, _) = read.checked(|(new, refused)| {
        webhooks::problems_of_new_polling(new).into_iter().chain(refused.clone()).collect()
    })?;
    let (webhook, token) = webhooks::create_polling(call.app(), &call.caller, new).await?;
    Ok(Json(CreatedPollingWebhook::new(webhook, &token)))
}
