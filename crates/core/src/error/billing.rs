//! Refusals about payments.

use crate::model::OrganizationId;
use crate::ports::PaymentsError;

/// Reason for which a request about payments failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum BillingError {
    /// No payment provider is configured. The organization that asked, if it is known.
    #[error("this server accepts no payments")]
    NotConfigured(Option<OrganizationId>),
    /// A subscription is running; a second one would be paid twice.
    #[error("the organization has a subscription already")]
    AlreadySubscribed,
    /// No customer of the payment provider exists for the organization.
    #[error("the organization has no customer at the payment provider")]
    NeverPaid,
    /// The authenticity of a payment notice is unproven.
    #[error("{0}")]
    UnprovenNotice(String),
    /// The payment provider failed; nothing was changed.
    #[error(transparent)]
    Provider(#[from] PaymentsError),
}
