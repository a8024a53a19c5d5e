//! Payments for plans, through Stripe: the port `Payments` on Stripe's HTTP API and its signed events.
//!
//! ```text
//! stripe     the port: forms for checkout and portal, and what comes back
//! api        one call: bounded in time and size, tried again once where the connection broke
//! answer     what Stripe answers, and what its errors mean
//! event      what Stripe tells: checkouts and subscriptions
//! signature  the proof that it is Stripe who tells
//! prices     which price is which plan
//! api_url    where Stripe is
//! ```
//!
//! The address of Stripe is the operator's word, not a caller's, so that nothing here passes the guard against private
//! addresses.

mod answer;
mod api;
mod api_url;
mod event;
mod prices;
mod signature;
mod stripe;
#[cfg(test)]
mod tests;

pub use api::{Patience, SetUpError};
pub use api_url::{ApiUrl, ApiUrlError};
pub use prices::{Prices, PricesError};
pub use stripe::{Stripe, StripeOptions};
