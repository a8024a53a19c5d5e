//! `POST /v0/agent/verify`

use actix_web::web::Json;
use inboxd_core::app::account::{Confirmation, Existing, Verified, verify};
use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::AuthenticatedRequest;
use crate::body::request;
use crate::endpoints::JsonResult;
use crate::views::time::format_time;

request! {
    /// Code that proves control of the owner address.
    pub(crate) struct VerifyRequest {
        /// Six digits.
        #[schema(example = "123456")]
        otp_code: String,
        /// Whether keys and webhooks created before remain when a key created by sign-in verifies. The default is
        /// false.
        keep_existing_keys: Option<bool>,
    }
}

/// Result of the verification.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerifyResponse {
    /// Always true.
    verified: bool,
    /// Domain on which the organization now creates inboxes.
    inbox_domain: String,
    /// Inboxes of the organization on the sign-up domain.
    inboxes_on_signup_domain: Vec<String>,
    /// Keys created before the verification, except the key of this request.
    existing_keys: Vec<ExistingKey>,
    /// Webhooks created before the verification.
    existing_webhooks: Vec<ExistingWebhook>,
}

/// API key created before the owner address was confirmed.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExistingKey {
    /// Id of the API key.
    api_key_id: String,
    /// Display name.
    name: String,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Whether this request revoked the key.
    revoked: bool,
}

/// Webhook created before the owner address was confirmed.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExistingWebhook {
    /// Id of the webhook.
    webhook_id: String,
    /// URL that events are sent to.
    url: String,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Whether this request deleted the webhook.
    revoked: bool,
}

#[utoipa::path(
    post,
    path = "/v0/agent/verify",
    operation_id = "verify",
    tag = "Account",
    summary = "Verify owner address",
    description = "Confirms the owner address with the mailed code; the limits of the plan apply at once. Sign-up does not prove control of the address, so a request with a key created by sign-in revokes all other keys and webhooks created before, unless `keep_existing_keys` is true. Requires `organization_update`.",
    request_body = VerifyRequest,
    responses((status = 200, description = "Verified", body = VerifyResponse))
)]
pub(crate) async fn handle(mut call: AuthenticatedRequest) -> JsonResult<VerifyResponse> {
    let VerifyRequest { otp_code, keep_existing_keys } = call.body::<VerifyRequest>().await?.whole()?;
    let confirmation = Confirmation { otp_code, keep_existing_keys: keep_existing_keys.unwrap_or(false) };
    Ok(Json(verify(call.app(), &call.caller, &confirmation).await?.into()))
}

impl From<Verified> for VerifyResponse {
    fn from(verified: Verified) -> Self {
        let Existing { api_keys, webhooks, is_revoked: revoked } = verified.existing;
        let existing_key = |key: model::ApiKey| ExistingKey {
            api_key_id: key.api_key_id.to_string(),
            name: key.name,
            created_at: format_time(key.created_at),
            revoked,
        };
        let existing_webhook = |webhook: model::Webhook| ExistingWebhook {
            webhook_id: webhook.webhook_id.to_string(),
            url: webhook.url,
            created_at: format_time(webhook.created_at),
            revoked,
        };
        Self {
            verified: true,
            inbox_domain: verified.inbox_domain,
            inboxes_on_signup_domain: verified.inboxes_on_signup_domain.iter().map(ToString::to_string).collect(),
            existing_keys: api_keys.into_iter().map(existing_key).collect(),
            existing_webhooks: webhooks.into_iter().map(existing_webhook).collect(),
        }
    }
}
