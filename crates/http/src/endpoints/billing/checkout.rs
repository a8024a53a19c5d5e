//! `POST /v0/billing/checkout`

use actix_web::web::Json;
use inboxd_core::app::billing::{Checkout, checkout, problems_of_checkout, require_payments};

use super::home;
use crate::auth::AuthenticatedRequest;
use crate::body::request;
use crate::endpoints::JsonResult;
use crate::views::HostedPage;

request! {
    /// What to pay for. Other fields are ignored.
    pub(crate) struct CheckoutRequest {
        /// `startup` or `business`: a plan that is for sale here.
        #[schema(required = true, nullable = false, example = "startup")]
        plan: Option<String>,
        /// Where the customer goes once it is paid; without it, to the documentation of this server.
        #[schema(example = "https://app.example.org/billing?paid=true")]
        success_url: Option<String>,
        /// Where the customer goes who changed their mind; without it, to the documentation of this server.
        #[schema(example = "https://app.example.org/billing")]
        cancel_url: Option<String>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/billing/checkout",
    operation_id = "checkout",
    tag = "Billing",
    summary = "Pay for a plan",
    description = "Begins a payment and answers the hosted page to send the customer to. Once it is paid, the plan holds \
        at once. Requires `billing`.",
    request_body = CheckoutRequest,
    responses((status = 200, description = "The page to pay at", body = HostedPage))
)]
pub(crate) async fn handle(mut call: AuthenticatedRequest) -> JsonResult<HostedPage> {
    require_payments(call.app(), &call.caller)?;
    let read = call.body::<CheckoutRequest>().await?;
    let read = read.map(|CheckoutRequest { plan, success_url, cancel_url }| Checkout { plan, success_url, cancel_url });
    let wanted = read.checked(|wanted| problems_of_checkout(call.app(), wanted))?;
    let url = checkout(call.app(), &call.caller, wanted, &home(&call)).await?;
    Ok(Json(HostedPage { url }))
}
