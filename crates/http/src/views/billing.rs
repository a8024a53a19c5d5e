//! The plan, and the pages of the payment provider.

use inboxd_core::app::billing::{BillingStatus, Noticed};
use serde::Serialize;
use utoipa::ToSchema;

/// The plan, from our own record.
#[derive(Serialize, ToSchema)]
#[schema(as = Billing)]
pub(crate) struct BillingView {
    /// `free`, `startup`, `business` or `enterprise`.
    #[schema(example = "free")]
    plan: &'static str,
    /// Whether payments are configured on this server. Where they are not, its operator sets plans by hand.
    configured: bool,
}

impl From<BillingStatus> for BillingView {
    fn from(status: BillingStatus) -> Self {
        Self { plan: status.plan.as_str(), configured: status.configured }
    }
}

/// A page of the payment provider, made for this customer and for a short time.
#[derive(Serialize, ToSchema)]
pub(crate) struct HostedPage {
    /// Where to send the customer.
    #[schema(example = "https://checkout.stripe.com/c/pay/cs_…")]
    pub(crate) url: String,
}

/// What came of an event.
#[derive(Serialize, ToSchema)]
pub(crate) struct NoticeTaken {
    /// Always true.
    received: bool,
    /// `applied`; `repeated`, where it was told before; `outdated`, where something later is known; or `ignored`, where
    /// it concerns no plan of an organization here.
    outcome: &'static str,
}

impl From<Noticed> for NoticeTaken {
    fn from(noticed: Noticed) -> Self {
        let outcome = match noticed {
            Noticed::Applied => "applied",
            Noticed::Repeated => "repeated",
            Noticed::Outdated => "outdated",
            Noticed::Ignored => "ignored",
        };
        Self { received: true, outcome }
    }
}
