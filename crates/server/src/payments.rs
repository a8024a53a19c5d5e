//! Payment provider.

use std::sync::Arc;

use inboxd_core::ports::Payments;
use inboxd_stripe::{ApiTimeouts, StripeOptions, StripePayments};

use crate::config::StripeConfig;
use crate::failure::{ErrorContext, Failure};

/// Returns the Stripe client, if configured.
pub(crate) fn payments(config: Option<&StripeConfig>) -> Result<Option<Arc<dyn Payments>>, Failure> {
    let Some(config) = config else { return Ok(None) };
    let options = StripeOptions {
        api_url: config.api_url.clone(),
        secret_key: config.secret_key.reveal().to_owned(),
        webhook_secret: config.webhook_secret.reveal().to_owned(),
        prices: config.prices.clone(),
        timeouts: ApiTimeouts::default(),
    };
    Ok(Some(Arc::new(StripePayments::new(options).context("INBOXD_STRIPE_SECRET_KEY")?)))
}
