//! Payments port on Stripe.

use async_trait::async_trait;
use inboxd_core::model::{PaymentNotice, Plan};
use inboxd_core::ports::{CheckoutOrder, NoticeError, Payments, PaymentsError, PortalVisit};
use time::OffsetDateTime;
use url::form_urlencoded::Serializer;

use crate::api_client::{ApiClient, ApiTimeouts, SetupError};
use crate::{ApiUrl, PriceTable, event, response, signature};

/// Stripe configuration. It has no `Debug` implementation, because two fields are secrets.
pub struct StripeOptions {
    /// Base URL of the API.
    pub api_url: ApiUrl,
    /// Secret key of the account: `sk_…` or `rk_…`.
    pub secret_key: String,
    /// Secret of event signatures: `whsec_…`.
    pub webhook_secret: String,
    /// Prices of the plans.
    pub prices: PriceTable,
    /// Time limits of a call.
    pub timeouts: ApiTimeouts,
}

/// Payments through Stripe.
pub struct StripePayments {
    api: ApiClient,
    webhook_secret: String,
    prices: PriceTable,
}

impl StripePayments {
    /// Returns a client without calling Stripe.
    ///
    /// # Errors
    /// [`SetupError`] when the key is not a valid header value, or the TLS library cannot be set up.
    pub fn new(options: StripeOptions) -> Result<Self, SetupError> {
        let StripeOptions { api_url, secret_key, webhook_secret, prices, timeouts } = options;
        Ok(Self { api: ApiClient::new(api_url, &secret_key, timeouts)?, webhook_secret, prices })
    }

    async fn create_session(&self, path: &str, form: &[(&str, &str)], key: &str) -> Result<String, PaymentsError> {
        let form = Serializer::new(String::new()).extend_pairs(form).finish();
        let response = self.api.post(path, form, key).await?;
        response::session_url(response.status, &response.body)
    }
}

#[async_trait]
impl Payments for StripePayments {
    fn plans(&self) -> Vec<Plan> {
        self.prices.plans()
    }

    async fn checkout(&self, order: &CheckoutOrder) -> Result<String, PaymentsError> {
        let price = self.prices.price_of(order.plan);
        let price = price.ok_or_else(|| PaymentsError::Refused(format!("the plan {} has no price", order.plan)))?;
        let organization_id = order.organization_id.to_string();
        let metadata = event::metadata(order.organization_id, order.plan);
        let metadata: Vec<_> = metadata
            .iter()
            .flat_map(|(name, value)| {
                // Metadata of the session, and of the subscription that it creates.
                [(format!("metadata[{name}]"), value), (format!("subscription_data[metadata][{name}]"), value)]
            })
            .collect();
        let customer = match &order.customer_id {
            Some(customer_id) => ("customer", customer_id.0.as_str()),
            None => ("customer_email", order.email.as_str()),
        };
        let mut form = vec![
            ("mode", "subscription"),
            ("line_items[0][price]", price),
            ("line_items[0][quantity]", "1"),
            ("success_url", order.success_url.as_str()),
            ("cancel_url", order.cancel_url.as_str()),
            ("client_reference_id", organization_id.as_str()),
            customer,
        ];
        form.extend(metadata.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        self.create_session("/v1/checkout/sessions", &form, &order.idempotency_key).await
    }

    async fn portal(&self, visit: &PortalVisit) -> Result<String, PaymentsError> {
        let form = [("customer", visit.customer_id.0.as_str()), ("return_url", visit.return_url.as_str())];
        self.create_session("/v1/billing_portal/sessions", &form, &visit.idempotency_key).await
    }

    fn notice(&self, signature: Option<&str>, body: &[u8], now: OffsetDateTime) -> Result<PaymentNotice, NoticeError> {
        signature::verify(&self.webhook_secret, signature, body, now)?;
        event::parse_notice(body, &self.prices)
    }
}
