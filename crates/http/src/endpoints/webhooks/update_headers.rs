//! `PATCH …/webhooks/{webhook_id}/headers`

use inboxd_core::app::webhooks;
use inboxd_core::model::permissions::WebhookUpdate;
use inboxd_core::rules::webhooks::headers::{HeaderChange, validate_change};

use crate::auth::AuthenticatedRequest;
use crate::authorized::Authorized;
use crate::body::{HeaderFields, StringList, request};
use crate::endpoints::{NoContent, no_content};
use crate::error::ApiError;

request! {
    /// Header fields to set, which replace fields of the same names, and to remove. At least one field is required.
    pub(crate) struct WebhookHeadersRequest {
        /// Header fields to set. Their values are never shown again.
        headers: Option<HeaderFields>,
        /// Names of header fields to remove. Letter case is ignored.
        remove_headers: Option<StringList>,
    }
}

/// Reads the header change of a request.
async fn header_change(call: &mut AuthenticatedRequest) -> Result<HeaderChange, ApiError> {
    let read = call.body::<WebhookHeadersRequest>().await?.map(|WebhookHeadersRequest { headers, remove_headers }| {
        HeaderChange { set: headers.unwrap_or_default().0, remove: remove_headers.unwrap_or_default().0 }
    });
    Ok(read.checked(validate_change)?)
}

#[utoipa::path(
    patch,
    path = "/v0/webhooks/{webhook_id}/headers",
    operation_id = "update_webhook_headers",
    tag = "Webhooks",
    summary = "Update webhook header fields",
    description = "Sets and removes header fields of every delivery, all of them or none.",
    request_body = WebhookHeadersRequest,
    responses((status = 204, description = "Changed"))
)]
pub(crate) async fn handle(mut call: Authorized<WebhookUpdate>) -> NoContent {
    let change = header_change(&mut call).await?;
    webhooks::update_headers(call.app(), &call.caller, call.webhook_id()?, change).await?;
    Ok(no_content())
}
