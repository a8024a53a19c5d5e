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
    /// The code that proves control of the owner's mailbox.
    pub(crate) struct VerifyRequest {
        /// Six digits.
        #[schema(example = "123456")]
        otp_code: String,
        /// Whether keys and webhooks made before stay, where the key of a sign-in confirms; false where it is absent.
        keep_existing_keys: Option<bool>,
    }
}

/// What confirming opened.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerifyResponse {
    /// Always true.
    verified: bool,
    /// Where the organization mints inboxes from now on.
    inbox_domain: String,
    /// Its inboxes on the sign-up domain.
    inboxes_on_signup_domain: Vec<String>,
    /// The keys that were made before, without the one of this request.
    existing_keys: Vec<ExistingKey>,
    /// The webhooks that were made before.
    existing_webhooks: Vec<ExistingWebhook>,
}

/// A key that was made before the owner address was confirmed.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExistingKey {
    /// Its id.
    api_key_id: String,
    /// A name for people.
    name: String,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// Whether it was revoked just now.
    revoked: bool,
}

/// A webhook that was made before the owner address was confirmed.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExistingWebhook {
    /// Its id.
    webhook_id: String,
    /// Where events are sent.
    url: String,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// Whether it was deleted just now.
    revoked: bool,
}

#[utoipa::path(
    post,
    path = "/v0/agent/verify",
    operation_id = "verify",
    tag = "Account",
    summary = "Confirm the owner address",
    description = "Confirms the owner address with the mailed code; the plan's own caps apply at once. Anybody can sign up with any address: confirmed with the key of a sign-in, all other keys and webhooks made before are revoked, unless `keep_existing_keys` is true. Requires `organization_update`.",
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
