//! `PATCH /v0/webhooks/{webhook_id}/headers`

use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;
use inboxd_core::rules::webhooks::headers::{HeaderChange, problems_of_change};

use crate::auth::Authenticated;
use crate::body::{HeaderFields, Strings, request};
use crate::endpoints::{Gone, gone};
use crate::error::ApiError;

request! {
    /// Header fields to set, in place of those of the same names, and to take away; at least one of both.
    pub(crate) struct WebhookHeadersRequest {
        /// Fields to set. Their values are never shown again.
        headers: Option<HeaderFields>,
        /// Names of fields to take away, in any letter case.
        remove_headers: Option<Strings>,
    }
}

/// Reads the change that a call asks for, the same way whatever the webhook was made for.
pub(in crate::endpoints) async fn header_change(call: &mut Authenticated) -> Result<HeaderChange, ApiError> {
    let read = call.body::<WebhookHeadersRequest>().await?.map(|WebhookHeadersRequest { headers, remove_headers }| {
        HeaderChange { set: headers.unwrap_or_default().0, remove: remove_headers.unwrap_or_default().0 }
    });
    Ok(read.checked(problems_of_change)?)
}

#[utoipa::path(
    patch,
    path = "/v0/webhooks/{webhook_id}/headers",
    operation_id = "update_webhook_headers",
    tag = "Webhooks",
    summary = "Change the header fields of a webhook",
    description = "Sets and takes away header fields that are sent along with every event, all of them or none. Needs `webhook_update`.",
    params(("webhook_id" = String, Path, description = "The webhook")),
    request_body = WebhookHeadersRequest,
    responses((status = 204, description = "Changed"))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Gone {
    call.require(Permission::WebhookUpdate)?;
    let within = Within::Reach;
    let change = header_change(&mut call).await?;
    webhooks::update_headers(call.app(), &call.caller, &within, call.webhook_id()?, change).await?;
    Ok(gone())
}
