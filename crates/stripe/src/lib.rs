//! Payments through Stripe: the port `Payments` on its HTTP API and signed events.
//!
//! ```text
//! payments    the port: forms for checkout and portal
//! api_client  one call, bounded in time and size, with one retry after a broken connection
//! response    responses and errors of the API
//! event       checkouts and subscriptions
//! signature   signature check of events
//! prices      mapping between prices and plans
//! api_url     base URL of the API
//! ```
//!
//! The operator configures the address of Stripe, so requests do not pass the guard against private addresses.

mod api_client;
mod api_url;
mod event;
mod payments;
mod prices;
mod response;
mod signature;
#[cfg(test)]
mod tests;

pub use api_client::{ApiTimeouts, SetupError};
pub use api_url::{ApiUrl, ApiUrlError};
pub use payments::{StripeOptions, StripePayments};
pub use prices::{PriceTable, PriceTableError};
