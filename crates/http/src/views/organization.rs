//! Organizations with their usage.

use inboxd_core::model::OrganizationOverview;
use serde::Serialize;
use utoipa::ToSchema;

use super::SendingBrakeView;
use super::time::format_time;

/// Organization with its counts and limits. A limit of null means unlimited.
#[derive(Serialize, ToSchema)]
#[schema(as = Organization)]
pub(crate) struct OrganizationView {
    /// Id of the organization.
    organization_id: String,
    /// `free`, `startup`, `business` or `enterprise`.
    plan: &'static str,
    /// Whether the owner address is confirmed.
    verified: bool,
    /// Number of inboxes.
    inbox_count: u64,
    /// Maximum number of inboxes.
    #[schema(required = true)]
    inbox_limit: Option<u64>,
    /// Number of custom domains.
    domain_count: u64,
    /// Maximum number of custom domains.
    #[schema(required = true)]
    domain_limit: Option<u64>,
    /// Number of pods, the default pod included.
    pod_count: u64,
    /// Maximum number of pods.
    #[schema(required = true)]
    pod_limit: Option<u64>,
    /// Number of webhooks.
    webhook_count: u64,
    /// Maximum number of webhooks.
    #[schema(required = true)]
    webhook_limit: Option<u64>,
    /// Size of the stored messages, drafts, notes and files in bytes.
    storage_bytes: u64,
    /// Maximum size of the stored messages, drafts, notes and files in bytes.
    #[schema(required = true)]
    storage_limit_bytes: Option<u64>,
    /// Quarantine of received messages: `off`, `monitor` or `hold`.
    #[schema(value_type = String, example = "off")]
    quarantine: &'static str,
    /// Brake on sending; absent while the organization sends as its plan allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<SendingBrakeView>, nullable = false)]
    sending: Option<SendingBrakeView>,
    /// Customer of the payment provider, for callers that may see payments; absent before the first payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    billing_id: Option<String>,
    /// Payment provider of `billing_id`: `stripe`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    billing_type: Option<&'static str>,
    /// Newest subscription that has not ended, for callers that may see payments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    billing_subscription_id: Option<String>,
    /// Owner, a member; absent before an owner address is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    authentication_id: Option<String>,
    /// Sign-in of the owner: `email`, by codes mailed to the owner address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    authentication_type: Option<&'static str>,
    /// Time of sign-up.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<OrganizationOverview> for OrganizationView {
    fn from(overview: OrganizationOverview) -> Self {
        let organization = overview.organization;
        let limits = organization.limits();
        Self {
            organization_id: organization.organization_id.to_string(),
            plan: organization.plan.as_str(),
            verified: organization.is_verified(),
            inbox_count: overview.inbox_count,
            inbox_limit: limits.inboxes,
            domain_count: overview.domain_count,
            domain_limit: limits.domains,
            pod_count: overview.pod_count,
            pod_limit: limits.pods,
            webhook_count: overview.webhook_count,
            webhook_limit: limits.webhooks,
            storage_bytes: overview.storage_bytes,
            storage_limit_bytes: limits.storage_bytes,
            quarantine: organization.quarantine.as_str(),
            sending: organization.brake.map(SendingBrakeView::from),
            billing_type: overview.account.customer_id.is_some().then_some("stripe"),
            billing_id: overview.account.customer_id.map(|customer_id| customer_id.0),
            billing_subscription_id: overview.account.subscription_id.map(|subscription_id| subscription_id.0),
            authentication_type: overview.account.owner_id.map(|_| "email"),
            authentication_id: overview.account.owner_id.map(|owner_id| owner_id.to_string()),
            created_at: format_time(organization.created_at),
            updated_at: format_time(organization.updated_at),
        }
    }
}
