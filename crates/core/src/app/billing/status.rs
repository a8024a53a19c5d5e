//! Billing status of an organization.

use crate::app::App;
use crate::model::{Caller, Permission, Plan};
use crate::ports::Payments;
use crate::rules::access;
use crate::{BillingError, Error};

/// The plan of an organization and the availability of payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BillingStatus {
    /// The plan.
    pub plan: Plan,
    /// Whether a payment provider is configured.
    pub configured: bool,
}

/// Returns the caller's plan from the local record, without a request to the provider.
///
/// # Errors
/// [`Error::MissingPermission`].
pub fn status(app: &App, caller: &Caller) -> Result<BillingStatus, Error> {
    require_billing(caller)?;
    Ok(BillingStatus { plan: caller.organization.plan, configured: app.payments.is_some() })
}

/// Requires the permission for billing.
///
/// Billing concerns the whole organization, so a key of one part of it is refused despite its permissions.
///
/// # Errors
/// [`Error::MissingPermission`].
pub fn require_billing(caller: &Caller) -> Result<(), Error> {
    access::require(caller, Permission::Billing)
}

/// Returns the payment provider for a caller with the permission for billing.
///
/// # Errors
/// [`Error::MissingPermission`], [`BillingError::NotConfigured`].
pub fn require_payments<'a>(app: &'a App, caller: &Caller) -> Result<&'a dyn Payments, Error> {
    require_billing(caller)?;
    app.payments
        .as_deref()
        .ok_or(Error::Billing(BillingError::NotConfigured(Some(caller.organization.organization_id))))
}
