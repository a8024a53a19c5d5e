//! Subscriptions and customers of the payment provider.

use time::OffsetDateTime;

use super::{OrganizationId, Plan};

/// The provider's id of a customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerId(pub String);

/// The provider's id of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionId(pub String);

/// State of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubscriptionState {
    /// Its plan applies: paid, in trial, or overdue and still being collected.
    Live,
    /// Its plan does not apply for now: unpaid, written off or paused.
    Lapsed,
    /// It has ended for good.
    Ended,
}

impl SubscriptionState {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Live, Self::Lapsed, Self::Ended];

    /// Returns the name in storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Lapsed => "lapsed",
            Self::Ended => "ended",
        }
    }
}

/// Last known state of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Organization of the subscription.
    pub organization_id: OrganizationId,
    /// The provider's id.
    pub subscription_id: SubscriptionId,
    /// Whether its plan applies.
    pub state: SubscriptionState,
    /// Plan of its price; `None` for a price that is not configured.
    pub plan: Option<Plan>,
    /// Time of this state at the provider, in whole seconds; older notices must not undo it.
    pub said_at: OffsetDateTime,
}

/// Customer and subscriptions of an organization.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BillingRecord {
    /// Customer; `None` before the first payment.
    pub customer_id: Option<CustomerId>,
    /// All subscriptions, including ended ones.
    pub subscriptions: Vec<Subscription>,
}

impl BillingRecord {
    /// Returns whether a subscription is running.
    #[must_use]
    pub fn is_paying(&self) -> bool {
        self.subscriptions.iter().any(|subscription| subscription.state == SubscriptionState::Live)
    }
}

/// Verified notice of the payment provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentNotice {
    /// The provider's id of the event; a repeated notice has the same id.
    pub event_id: String,
    /// Time of the event in whole seconds.
    pub created_at: OffsetDateTime,
    /// Change of a subscription; `None` for other events.
    pub update: Option<SubscriptionUpdate>,
}

/// A changed subscription with its whole state at that time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionUpdate {
    /// Whether this is the creation. Times are in whole seconds; of two events of one second, the creation is older.
    pub is_beginning: bool,
    /// Organization that the metadata of the subscription names; `None` if it names none.
    pub names: Option<OrganizationId>,
    /// Paying customer.
    pub customer_id: CustomerId,
    /// The subscription.
    pub subscription_id: SubscriptionId,
    /// Whether its plan applies.
    pub state: SubscriptionState,
    /// Plan of its price; `None` for a price that is not configured.
    pub plan: Option<Plan>,
}
