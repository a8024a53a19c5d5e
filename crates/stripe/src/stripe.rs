//! The port.

use async_trait::async_trait;
use inboxd_core::model::{PaymentNotice, Plan};
use inboxd_core::ports::{CheckoutOrder, NoticeError, Payments, PaymentsError, PortalVisit};
use time::OffsetDateTime;
use url::form_urlencoded::Serializer;

use crate::api::{Api, Patience, SetUpError};
use crate::{ApiUrl, Prices, answer, event, signature};

/// What the operator has with Stripe. It has no debugging form: two of these are secrets.
pub struct StripeOptions {
    /// Where Stripe is.
    pub api_url: ApiUrl,
    /// The key of the account: `sk_…` or `rk_…`.
    pub secret_key: String,
    /// What events are signed with: `whsec_…`.
    pub webhook_secret: String,
    /// Which price is which plan.
    pub prices: Prices,
    /// How long to wait.
    pub patience: Patience,
}

/// Payments through Stripe.
pub struct Stripe {
    api: Api,
    webhook_secret: String,
    prices: Prices,
}

impl Stripe {
    /// Prepares calls of Stripe; nothing is asked yet.
    ///
    /// # Errors
    /// When the key is none, or the TLS library cannot be set up.
    pub fn new(options: StripeOptions) -> Result<Self, SetUpError> {
        let StripeOptions { api_url, secret_key, webhook_secret, prices, patience } = options;
        Ok(Self { api: Api::new(api_url, &secret_key, patience)?, webhook_secret, prices })
    }

    async fn session(&self, path: &str, form: &[(&str, &str)], key: &str) -> Result<String, PaymentsError> {
        let form = Serializer::new(String::new()).extend_pairs(form).finish();
        let answered = self.api.post(path, form, key).await?;
        answer::url_of(answered.status, &answered.body)
    }
}

#[async_trait]
impl Payments for Stripe {
    fn plans(&self) -> Vec<Plan> {
        self.prices.plans()
    }

    async fn checkout(&self, order: &CheckoutOrder) -> Result<String, PaymentsError> {
        let price = self.prices.of(order.plan);
        let price = price.ok_or_else(|| PaymentsError::Refused(format!("the plan {} has no price", order.plan)))?;
        let organization_id = order.organization_id.to_string();
        let metadata = event::metadata(order.organization_id, order.plan);
        let metadata: Vec<_> = metadata
            .iter()
            .flat_map(|(name, value)| {
                // The session's own, and that of the subscription it makes.
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
        self.session("/v1/checkout/sessions", &form, &order.idempotency_key).await
    }

    async fn portal(&self, visit: &PortalVisit) -> Result<String, PaymentsError> {
        let form = [("customer", visit.customer_id.0.as_str()), ("return_url", visit.return_url.as_str())];
        self.session("/v1/billing_portal/sessions", &form, &visit.idempotency_key).await
    }

    fn notice(&self, signature: Option<&str>, body: &[u8], now: OffsetDateTime) -> Result<PaymentNotice, NoticeError> {
        signature::verify(&self.webhook_secret, signature, body, now)?;
        event::read(body, &self.prices)
    }
}
