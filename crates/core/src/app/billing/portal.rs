//! Portal for subscriptions at the payment provider.

use uuid::Uuid;

use super::require_payments;
use crate::app::App;
use crate::model::Caller;
use crate::ports::{PaymentsError, PortalVisit};
use crate::{BillingError, Error};

/// Opens a session of the provider's portal and returns its URL. The portal returns the customer to `home`.
///
/// # Errors
/// [`Error::MissingPermission`], [`BillingError::NotConfigured`], [`BillingError::NeverPaid`],
/// [`BillingError::Provider`].
pub async fn portal(app: &App, caller: &Caller, home: &str) -> Result<String, Error> {
    let payments = require_payments(app, caller)?;
    let record = app.store.billing(caller.organization.organization_id).await?;
    let customer_id = record.customer_id.ok_or(BillingError::NeverPaid)?;
    let idempotency_key = format!("inboxd-{}", app.mint::<Uuid>(app.clock.now()));
    let visit = PortalVisit { customer_id, return_url: home.to_owned(), idempotency_key };
    match payments.portal(&visit).await {
        Err(PaymentsError::UnknownCustomer) => Err(Error::Billing(BillingError::NeverPaid)),
        answer => Ok(answer?),
    }
}
