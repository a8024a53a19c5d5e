//! `PATCH /v0/pods/{pod_id}/webhooks/{webhook_id}/headers`

use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::webhooks::update_headers::{WebhookHeadersRequest, header_change};
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    patch,
    path = "/v0/pods/{pod_id}/webhooks/{webhook_id}/headers",
    operation_id = "update_pod_webhook_headers",
    tag = "Webhooks",
    summary = "Change the header fields of a webhook of a pod",
    description = "Sets and takes away header fields that are sent along with every event, all of them or none. Needs `webhook_update`.",
    params(("pod_id" = String, Path, description = "The pod"), ("webhook_id" = String, Path, description = "The webhook")),
    request_body = WebhookHeadersRequest,
    responses((status = 204, description = "Changed"))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Gone {
    let within = Within::Pod(call.pod(Permission::WebhookUpdate)?);
    let change = header_change(&mut call).await?;
    webhooks::update_headers(call.app(), &call.caller, &within, call.webhook_id()?, change).await?;
    Ok(gone())
}
