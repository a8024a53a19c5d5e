//! Portal for subscriptions at the payment provider.

use uuid::Uuid;

use super::require_payments;
use crate::Error;
use crate::app::App;
use crate::model::Caller;
use crate::ports::{PaymentsError, PortalVisit};

/// Opens a session of the provider's portal and returns its URL. The portal returns the customer to `home`.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::BillingNotConfigured`], [`Error::NeverPaid`], [`Error::Payments`].
pub async fn portal(app: &App, caller: &Caller, home: &str) -> Result<String, Error> {
    let payments = require_payments(app, caller)?;
    let record = app.store.billing(caller.organization.organization_id).await?;
    let customer_id = record.customer_id.ok_or(Error::NeverPaid)?;
    let idempotency_key = format!("inboxd-{}", app.mint::<Uuid>(app.clock.now()));
    let visit = PortalVisit { customer_id, return_url: home.to_owned(), idempotency_key };
    match payments.portal(&visit).await {
        Err(PaymentsError::UnknownCustomer) => Err(Error::NeverPaid),
        answer => Ok(answer?),
    }
}
