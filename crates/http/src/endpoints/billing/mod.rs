//! `/v0/billing`: the plan, its payment, and events of the payment provider.

pub(crate) mod checkout;
pub(crate) mod get;
pub(crate) mod portal;
pub(crate) mod webhook;

use crate::auth::AuthenticatedRequest;

/// Returns the default URL to which the payment provider redirects customers.
fn home(call: &AuthenticatedRequest) -> String {
    format!("{}/docs", call.state().base_url)
}
