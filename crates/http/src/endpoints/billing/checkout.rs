//! `POST /v0/billing/checkout`

use actix_web::web::Json;
use inboxd_core::app::billing::{Checkout, checkout, problems_of_checkout, require_payments};

use super::home;
use crate::auth::AuthenticatedRequest;
use crate::body::request;
use crate::endpoints::JsonResult;
use crate::views::HostedPage;

request! {
    /// Plan to pay for. Other fields are ignored.
    pub(crate) struct CheckoutRequest {
        /// Plan that this server sells: `startup` or `business`.
        #[schema(required = true, nullable = false, example = "startup")]
        plan: Option<String>,
        /// URL that the customer is redirected to after payment; by default the documentation of this server.
        #[schema(example = "https://app.example.org/billing?paid=true")]
        success_url: Option<String>,
        /// URL that the customer is redirected to after cancelling; by default the documentation of this server.
        #[schema(example = "https://app.example.org/billing")]
        cancel_url: Option<String>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/billing/checkout",
    operation_id = "checkout",
    tag = "Billing",
    summary = "Create checkout page",
    description = "Starts a payment and returns the hosted page for the customer. After payment the plan applies \
        at once. Requires `billing`.",
    request_body = CheckoutRequest,
    responses((status = 200, description = "The checkout page", body = HostedPage))
)]
pub(crate) async fn handle(mut call: AuthenticatedRequest) -> JsonResult<HostedPage> {
    require_payments(call.app(), &call.caller)?;
    let read = call.body::<CheckoutRequest>().await?;
    let read = read.map(|CheckoutRequest { plan, success_url, cancel_url }| Checkout { plan, success_url, cancel_url });
    let wanted = read.checked(|wanted| problems_of_checkout(call.app(), wanted))?;
    let url = checkout(call.app(), &call.caller, wanted, &home(&call)).await?;
    Ok(Json(HostedPage { url }))
}
