//! Who pays for a plan, and what the payment provider last said of it.

use time::OffsetDateTime;

use super::{OrganizationId, Plan};

/// The provider's id of whoever pays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerId(pub String);

/// The provider's id of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionId(pub String);

/// Whether a subscription gives its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubscriptionState {
    /// It does: paid, on trial, or late and still being collected.
    Live,
    /// It does not for now: not paid yet, given up collecting, or paused.
    Lapsed,
    /// It never will again.
    Ended,
}

impl SubscriptionState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Live, Self::Lapsed, Self::Ended];

    /// The name in storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Lapsed => "lapsed",
            Self::Ended => "ended",
        }
    }
}

/// What is known of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Whose plan it pays.
    pub organization_id: OrganizationId,
    /// Its id.
    pub subscription_id: SubscriptionId,
    /// Whether it gives its plan.
    pub state: SubscriptionState,
    /// The plan; `None` where its price is none of ours.
    pub plan: Option<Plan>,
    /// When the provider said so, in whole seconds: what it said before must not undo it.
    pub said_at: OffsetDateTime,
}

/// What an organization pays, and who does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BillingRecord {
    /// Whoever pays; `None` until somebody has.
    pub customer_id: Option<CustomerId>,
    /// Every subscription there was.
    pub subscriptions: Vec<Subscription>,
}

impl BillingRecord {
    /// Whether a subscription is running.
    #[must_use]
    pub fn is_paying(&self) -> bool {
        self.subscriptions.iter().any(|subscription| subscription.state == SubscriptionState::Live)
    }
}

/// Something that the provider tells, proven to come from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentNotice {
    /// The provider's id of the event; the same when it tells the same again.
    pub event_id: String,
    /// When it happened, in whole seconds.
    pub created_at: OffsetDateTime,
    /// What happened; `None` for what does not concern plans.
    pub news: Option<SubscriptionNews>,
}

/// What happened to a subscription: its whole state at that time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionNews {
    /// Whether this is the first that there was to tell of it, so that everything else is later.
    pub is_beginning: bool,
    /// The organization that it names.
    pub names: Option<OrganizationId>,
    /// Who pays.
    pub customer_id: CustomerId,
    /// The subscription.
    pub subscription_id: SubscriptionId,
    /// Whether it gives its plan.
    pub state: SubscriptionState,
    /// The plan of its price; `None` where that is none of ours.
    pub plan: Option<Plan>,
}
