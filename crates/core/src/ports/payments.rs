//! Payment provider.

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::model::{CustomerId, OrganizationId, PaymentNotice, Plan};

/// Order of a plan at the checkout of the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutOrder {
    /// The organization that buys the plan.
    pub organization_id: OrganizationId,
    /// The plan.
    pub plan: Plan,
    /// The customer id, if the provider already knows the customer.
    pub customer_id: Option<CustomerId>,
    /// The email address of a new customer.
    pub email: String,
    /// The URL of the redirect after payment.
    pub success_url: String,
    /// The URL of the redirect after cancellation.
    pub cancel_url: String,
    /// The idempotency key: the provider places one order per key.
    pub idempotency_key: String,
}

/// Visit of the billing portal of the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortalVisit {
    /// The customer.
    pub customer_id: CustomerId,
    /// The URL of the redirect after the visit.
    pub return_url: String,
    /// The idempotency key: the provider creates one portal session per key.
    pub idempotency_key: String,
}

/// Failure of a request to the payment provider. The text is for the operator and contains no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PaymentsError {
    /// The provider is unreachable, timed out or failed.
    #[error("the payment provider is unavailable: {0}")]
    Unavailable(String),
    /// The provider does not know the customer, or has deleted it.
    #[error("the payment provider does not know the customer")]
    UnknownCustomer,
    /// The provider rejects a redirect URL.
    #[error("the payment provider does not accept this {0}")]
    UnusableUrl(&'static str),
    /// The provider rejects the request permanently because a key, a price or a setting is wrong.
    #[error("the payment provider refuses: {0}")]
    Refused(String),
}

/// Failure to accept a notice of the provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoticeError {
    /// The signature is missing, wrong or expired.
    #[error("{0}")]
    Unproven(String),
    /// The notice is authentic but malformed.
    #[error("{message}")]
    Unreadable {
        /// The path of the invalid value in the notice.
        path: String,
        /// The cause.
        message: String,
    },
}

/// Client of the payment provider.
#[async_trait]
pub trait Payments: Send + Sync {
    /// Returns the plans for sale, smallest first.
    fn plans(&self) -> Vec<Plan>;

    /// Creates a checkout session and returns its URL.
    ///
    /// # Errors
    ///
    /// When the provider did not accept the order.
    async fn checkout(&self, order: &CheckoutOrder) -> Result<String, PaymentsError>;

    /// Creates a billing portal session and returns its URL.
    ///
    /// # Errors
    ///
    /// When the provider did not create the session.
    async fn portal(&self, visit: &PortalVisit) -> Result<String, PaymentsError>;

    /// Verifies the signature of a notice and parses it. A signature is valid for a few minutes.
    ///
    /// # Errors
    ///
    /// When the signature is missing, wrong or expired, or the notice is malformed.
    fn notice(&self, signature: Option<&str>, body: &[u8], now: OffsetDateTime) -> Result<PaymentNotice, NoticeError>;
}
