//! The plan, from our own record.

use crate::Error;
use crate::app::App;
use crate::model::{Caller, Permission, Plan};
use crate::ports::Payments;
use crate::rules::access;

/// The plan of an organization, and whether it can be paid for here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BillingStatus {
    /// The plan.
    pub plan: Plan,
    /// Whether a payment provider is configured.
    pub configured: bool,
}

/// Reads the caller's plan. The payment provider is not asked.
///
/// # Errors
/// [`Error::MissingPermission`].
pub fn status(app: &App, caller: &Caller) -> Result<BillingStatus, Error> {
    require_billing(caller)?;
    Ok(BillingStatus { plan: caller.organization.plan, configured: app.payments.is_some() })
}

/// Refuses who has nothing to do with the money: it is the organization's, so that a key of a part of it does not reach
/// it, whatever its map says.
///
/// # Errors
/// [`Error::MissingPermission`].
pub fn require_billing(caller: &Caller) -> Result<(), Error> {
    access::require(caller, Permission::Billing)
}

/// The payment provider, for a caller who may use it.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::BillingNotConfigured`].
pub fn require_payments<'a>(app: &'a App, caller: &Caller) -> Result<&'a dyn Payments, Error> {
    require_billing(caller)?;
    app.payments.as_deref().ok_or(Error::BillingNotConfigured(Some(caller.organization.organization_id)))
}
