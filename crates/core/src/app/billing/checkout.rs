//! Purchase of a plan.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::require_payments;
use crate::app::App;
use crate::model::{Caller, Plan};
use crate::ports::{CheckoutOrder, PaymentsError};
use crate::rules::billing::{validate_plan, validate_return_url};
use crate::{BillingError, Error, FieldError, SignUpRefusal};

/// Request for a payment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checkout {
    /// The plan.
    pub plan: Option<String>,
    /// The URL of the customer's browser after the payment.
    pub success_url: Option<String>,
    /// The URL of the customer's browser after a cancellation.
    pub cancel_url: Option<String>,
}

/// Returns every problem of a checkout request.
#[must_use]
pub fn problems_of_checkout(app: &App, wanted: &Checkout) -> Vec<FieldError> {
    let for_sale = app.payments.as_ref().map(|payments| payments.plans()).unwrap_or_default();
    let url = |path, url: &Option<String>| url.as_ref().and_then(|url| validate_return_url(path, url));
    let problems = [
        validate_plan(wanted.plan.as_deref(), &for_sale),
        url("success_url", &wanted.success_url),
        url("cancel_url", &wanted.cancel_url),
    ];
    problems.into_iter().flatten().collect()
}

/// Begins a payment and returns the URL for the customer.
///
/// `home` replaces a missing return URL. An existing subscriber is refused, since a second subscription would be paid
/// in addition to the first.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::Invalid`], [`BillingError::NotConfigured`], [`BillingError::AlreadySubscribed`],
/// [`BillingError::Provider`].
pub async fn checkout(app: &App, caller: &Caller, wanted: Checkout, home: &str) -> Result<String, Error> {
    let payments = require_payments(app, caller)?;
    Error::unless_empty(problems_of_checkout(app, &wanted))?;
    let plan: Plan = wanted.plan.unwrap_or_default().parse().map_err(|problem| Error::invalid("plan", problem))?;
    let organization = &caller.organization;
    let record = app.store.billing(organization.organization_id).await?;
    if record.is_paying() {
        return Err(BillingError::AlreadySubscribed.into());
    }
    let order = CheckoutOrder {
        organization_id: organization.organization_id,
        plan,
        customer_id: record.customer_id,
        email: organization.owner_email.as_ref().ok_or(SignUpRefusal::OwnerMissing)?.as_str().to_owned(),
        success_url: wanted.success_url.unwrap_or_else(|| home.to_owned()),
        cancel_url: wanted.cancel_url.unwrap_or_else(|| home.to_owned()),
        idempotency_key: String::new(),
    };
    let order = keyed(app, order);
    let answer = match payments.checkout(&order).await {
        // A customer deleted at the provider becomes a new customer.
        Err(PaymentsError::UnknownCustomer) if order.customer_id.is_some() => {
            let afresh = keyed(app, CheckoutOrder { customer_id: None, ..order });
            payments.checkout(&afresh).await
        }
        answer => answer,
    };
    answer.map_err(|error| match error {
        PaymentsError::UnusableUrl(field) => Error::invalid(field, "the payment provider does not accept this URL"),
        other => other.into(),
    })
}

/// Adds the idempotency key to an order.
///
/// Equal orders within a minute have equal keys. A client that repeats its request after a lost response gets the
/// payment that was begun. Later the first payment may be paid or abandoned, so a new one begins.
fn keyed(app: &App, order: CheckoutOrder) -> CheckoutOrder {
    let minute = app.clock.now().unix_timestamp().div_euclid(60);
    let customer = order.customer_id.as_ref().map_or("", |customer| customer.0.as_str());
    let mac = app.settings.signing_key.mac(
        "checkout",
        &[
            order.organization_id.0.as_bytes(),
            order.plan.as_str().as_bytes(),
            customer.as_bytes(),
            order.email.as_bytes(),
            order.success_url.as_bytes(),
            order.cancel_url.as_bytes(),
            &minute.to_be_bytes(),
        ],
    );
    CheckoutOrder { idempotency_key: format!("inboxd-{}", URL_SAFE_NO_PAD.encode(mac)), ..order }
}
