//! `/v0/billing`: the plan, checkout, and events of the payment provider.

mod checkout;
mod get;
mod portal;
pub(crate) mod stripe;
mod unconfigured;
mod webhook;
