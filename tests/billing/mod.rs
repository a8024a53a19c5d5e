//! `/v0/billing`: the plan, paying for another, and what the payment provider tells.

mod checkout;
mod get;
mod portal;
pub(crate) mod stripe;
mod unconfigured;
mod webhook;
