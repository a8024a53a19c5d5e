//! Whoever collects the money.

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::model::{CustomerId, OrganizationId, PaymentNotice, Plan};

/// A customer on the way to pay for a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutOrder {
    /// Whose plan it is.
    pub organization_id: OrganizationId,
    /// The plan.
    pub plan: Plan,
    /// Who pays, where the provider knows them already.
    pub customer_id: Option<CustomerId>,
    /// The address that a new customer begins with.
    pub email: String,
    /// Where the customer goes once it is paid.
    pub success_url: String,
    /// Where the customer goes who changed their mind.
    pub cancel_url: String,
    /// The same order is placed once, however often it is sent with the same key.
    pub idempotency_key: String,
}

/// A customer on the way to look after their subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortalVisit {
    /// Who pays.
    pub customer_id: CustomerId,
    /// Where the customer goes afterwards.
    pub return_url: String,
    /// A visit that is asked for again with the same key is the same visit.
    pub idempotency_key: String,
}

/// Why the provider did not do what was asked. The words are for the operator and hold no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PaymentsError {
    /// It cannot be reached, took too long, or is at fault itself.
    #[error("the payment provider is unavailable: {0}")]
    Unavailable(String),
    /// It knows no such customer, perhaps no more.
    #[error("the payment provider does not know the customer")]
    UnknownCustomer,
    /// It does not take a URL to send the customer back to.
    #[error("the payment provider does not take this {0}")]
    UnusableUrl(&'static str),
    /// It refuses for good: a key, a price or a setting is wrong.
    #[error("the payment provider refuses: {0}")]
    Refused(String),
}

/// Why a notice was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoticeError {
    /// Nothing proves that it comes from the provider, now.
    #[error("{0}")]
    Unproven(String),
    /// It comes from the provider and cannot be read.
    #[error("{message}")]
    Unreadable {
        /// Where in the notice.
        path: String,
        /// What is wrong there.
        message: String,
    },
}

/// Collects the money for plans, and tells when something changes.
#[async_trait]
pub trait Payments: Send + Sync {
    /// The plans that can be paid for, the smallest first.
    fn plans(&self) -> Vec<Plan>;

    /// Begins a payment and answers the URL to send the customer to.
    ///
    /// # Errors
    /// When the provider did not take the order.
    async fn checkout(&self, order: &CheckoutOrder) -> Result<String, PaymentsError>;

    /// Opens the customer's own page at the provider and answers its URL.
    ///
    /// # Errors
    /// When the provider did not open it.
    async fn portal(&self, visit: &PortalVisit) -> Result<String, PaymentsError>;

    /// Reads what somebody says the provider tells, and believes it only with the provider's signature of these minutes.
    ///
    /// # Errors
    /// When the signature is missing, wrong or old, or the notice cannot be read.
    fn notice(&self, signature: Option<&str>, body: &[u8], now: OffsetDateTime) -> Result<PaymentNotice, NoticeError>;
}
