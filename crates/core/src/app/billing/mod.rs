//! Use cases of billing: plan, checkout, portal and notices of the payment provider.

mod checkout;
mod notice;
mod portal;
mod status;

pub use checkout::{Checkout, checkout, problems_of_checkout};
pub use notice::{Noticed, notice};
pub use portal::portal;
pub use status::{BillingStatus, require_billing, require_payments, status};
