//! `/v0/billing`: the plan, paying for another, and what the payment provider tells.

pub(crate) mod checkout;
pub(crate) mod get;
pub(crate) mod portal;
pub(crate) mod webhook;

use crate::auth::AuthenticatedRequest;

/// Where customers go afterwards who name no place of their own.
fn home(call: &AuthenticatedRequest) -> String {
    format!("{}/docs", call.state().base_url)
}
