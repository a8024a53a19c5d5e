//! `POST …/webhooks`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, NewWebhook};
use inboxd_core::model::permissions::WebhookCreate;

use super::take_scope_ids;
use crate::authorized::Authorized;
use crate::body::{ClientId, EventTypeNames, HeaderFields, InboxIds, StringList, Verdicts, request};
use crate::endpoints::JsonResult;
use crate::views::WebhookView;

request! {
    /// Webhook to create.
    pub(crate) struct NewWebhookRequest {
        /// URL that events are sent to: a public http or https URL.
        #[schema(example = "https://hooks.example.org/inboxd")]
        url: String,
        /// Event types to send; by default all except those of spam, blocked and unauthenticated messages.
        #[schema(value_type = Option<EventTypeNames>)]
        event_types: Option<StringList>,
        /// Verdicts of trust. Of received messages, only the events of those with one of these verdicts are sent; events
        /// of other kinds are not concerned. By default those of all messages.
        trust: Option<Verdicts>,
        /// Pods whose events are sent, at most 10. An event is sent if its pod or its inbox is named.
        pod_ids: Option<StringList>,
        /// Inboxes whose events are sent, at most 10.
        inbox_ids: Option<InboxIds>,
        /// Additional header fields of every delivery, at most 20. Their values are never shown again.
        headers: Option<HeaderFields>,
        /// Idempotency key: a repeat returns the webhook created before, without its secret.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
    }
}

impl From<NewWebhookRequest> for NewWebhook {
    fn from(request: NewWebhookRequest) -> Self {
        let NewWebhookRequest { url, event_types, trust, pod_ids, inbox_ids, headers, client_id } = request;
        Self {
            url,
            event_types: event_types.unwrap_or_default().0,
            trust: trust.unwrap_or_default().0,
            pod_ids: pod_ids.unwrap_or_default().0,
            inbox_ids: inbox_ids.unwrap_or_default().0,
            headers: headers.unwrap_or_default().0,
            client_id,
        }
    }
}

#[utoipa::path(
    post,
    path = "/v0/webhooks",
    operation_id = "create_webhook",
    tag = "Webhooks",
    summary = "Create webhook",
    description = "Creates a webhook for all events of the scope, or for those of the named pods and inboxes. Only this response contains its secret. Events of hidden mail require the `label_*_read` permission of the label. Also requires `message_read` for events of received mail.",
    request_body = NewWebhookRequest,
    responses(
        (status = 200, description = "The webhook, with its secret", body = WebhookView),
        (status = 400, description = "Unknown event type")
    )
)]
pub(crate) async fn handle(mut call: Authorized<WebhookCreate>) -> JsonResult<WebhookView> {
    let scope = call.caller.scope().clone();
    let read = call.body::<NewWebhookRequest>().await?.map(|mut request| {
        let pods = [("pod_ids", &mut request.pod_ids)];
        let refused = take_scope_ids(&scope, pods, [("inbox_ids", &mut request.inbox_ids)]);
        (NewWebhook::from(request), refused)
    });
    let (new, _) = read.checked(|(new, refused)| {
        webhooks::problems_of_new(call.app(), new).into_iter().chain(refused.clone()).collect()
    })?;
    Ok(Json(webhooks::create(call.app(), &call.caller, new).await?.into()))
}
