//! Plan and hosted pages of the payment provider.

use inboxd_core::app::billing::{BillingStatus, Noticed};
use serde::Serialize;
use utoipa::ToSchema;

/// Plan of the organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Billing)]
pub(crate) struct BillingView {
    /// `free`, `startup`, `business` or `enterprise`.
    #[schema(example = "free")]
    plan: &'static str,
    /// Whether payments are configured on this server. Otherwise its operator sets the plans.
    configured: bool,
}

impl From<BillingStatus> for BillingView {
    fn from(status: BillingStatus) -> Self {
        Self { plan: status.plan.as_str(), configured: status.configured }
    }
}

/// Short-lived page of the payment provider for this customer.
#[derive(Serialize, ToSchema)]
pub(crate) struct HostedPage {
    /// URL of the page.
    #[schema(example = "https://checkout.stripe.com/c/pay/cs_…")]
    pub(crate) url: String,
}

/// Result of a payment event.
#[derive(Serialize, ToSchema)]
pub(crate) struct NoticeTaken {
    /// Always true.
    received: bool,
    /// `applied`; `repeated` if the event was received before; `outdated` if a later event was received; or `ignored`
    /// if the event concerns no plan of an organization of this server.
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
