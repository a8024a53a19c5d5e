//! `POST /v0/inboxes/{inbox_id}/webhooks`

use actix_web::web::Json;
use inboxd_core::FieldError;
use inboxd_core::app::webhooks::{self, NewWebhook, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::{ClientId, EventTypeNames, HeaderFields, Strings, request};
use crate::endpoints::Answer;
use crate::endpoints::webhooks::{empty, of_the_path};
use crate::views::Webhook;

request! {
    /// The webhook to make.
    pub(crate) struct NewInboxWebhookRequest {
        /// Where to send events: an http or https URL that the internet can reach.
        #[schema(example = "https://hooks.example.org/inboxd")]
        url: String,
        /// The kinds of events to tell of; where there is none, all but those of mail that lists hide.
        #[schema(value_type = Option<EventTypeNames>)]
        event_types: Option<Strings>,
        /// The inbox comes from the path: they are refused.
        #[schema(schema_with = empty)]
        pod_ids: Option<Strings>,
        /// The inbox comes from the path: they are refused.
        #[schema(schema_with = empty)]
        inbox_ids: Option<Strings>,
        /// Header fields to send along with every event, at most 20. Their values are never shown again.
        headers: Option<HeaderFields>,
        /// An idempotency key: the same one answers the webhook that it made before, without its secret.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
    }
}

/// The webhook that is asked for, and what the path alone may say.
fn read(request: NewInboxWebhookRequest) -> (NewWebhook, Vec<FieldError>) {
    let NewInboxWebhookRequest { url, event_types, pod_ids, inbox_ids, headers, client_id } = request;
    let new = NewWebhook {
        url,
        event_types: event_types.unwrap_or_default().0,
        headers: headers.unwrap_or_default().0,
        client_id,
        ..NewWebhook::default()
    };
    (new, of_the_path("inbox", [("pod_ids", pod_ids), ("inbox_ids", inbox_ids)]))
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/webhooks",
    operation_id = "create_inbox_webhook",
    tag = "Webhooks",
    summary = "Make a webhook of an inbox",
    description = "Makes a webhook that listens to this inbox. Its secret is in this answer and nowhere else. Telling of mail that lists hide takes the `label_*_read` permission of its label. Needs `webhook_create`, and `message_read` to tell of mail that comes in.",
    params(("inbox_id" = String, Path, description = "The inbox")),
    request_body = NewInboxWebhookRequest,
    responses(
        (status = 200, description = "The webhook, with its secret", body = Webhook),
        (status = 400, description = "No such kind of event")
    )
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<Webhook> {
    let within = Within::Inbox(call.inbox(Permission::WebhookCreate)?);
    let read = call.body::<NewInboxWebhookRequest>().await?.map(read);
    let (new, _) = read.checked(|(new, of_the_path)| {
        webhooks::problems_of_new(call.app(), new).into_iter().chain(of_the_path.clone()).collect()
    })?;
    Ok(Json(webhooks::create(call.app(), &call.caller, &within, new).await?.into()))
}
