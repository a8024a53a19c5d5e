//! `POST /v0/billing/webhook`

use actix_web::web::Json;
use inboxd_core::app::billing::notice;

use crate::auth::UnauthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::views::NoticeTaken;

/// Size of an event. Subscription events have a few thousand bytes.
const MAX_EVENT_BYTES: usize = 256 * 1024;

#[utoipa::path(
    post,
    path = "/v0/billing/webhook",
    operation_id = "take_payment_event",
    tag = "Billing",
    summary = "Receive Stripe event",
    description = "For Stripe: accepts a signed event and changes the plan that it pays for. The signature replaces the \
        API key. A repeated or outdated event changes nothing.",
    security(()),
    params(("Stripe-Signature" = String, Header, description = "`t=…,v1=…`: signature of the time, a dot and the body")),
    request_body(content = Object, description = "A Stripe event", content_type = "application/json"),
    responses(
        (status = 200, description = "Accepted", body = NoticeTaken),
        (status = 400, description = "The signature is invalid or too old")
    )
)]
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> JsonResult<NoticeTaken> {
    // The signature covers the raw bytes.
    let body = call.bytes(MAX_EVENT_BYTES).await?;
    let signature = call.request.headers().get("Stripe-Signature").and_then(|value| value.to_str().ok());
    Ok(Json(notice(call.app(), signature, &body).await?.into()))
}
