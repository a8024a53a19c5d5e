//! Billing: which plan there is, paying for another one, and what the payment provider tells.

mod checkout;
mod notice;
mod portal;
mod status;

pub use checkout::{Checkout, checkout, problems_of_checkout};
pub use notice::{Noticed, notice};
pub use portal::portal;
pub use status::{BillingStatus, require_billing, require_payments, status};
