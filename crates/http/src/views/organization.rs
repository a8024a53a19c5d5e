//! The organization with what it uses.

use inboxd_core::model::OrganizationOverview;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// The organization, its counts and its caps; a cap that is null is none.
#[derive(Serialize, ToSchema)]
#[schema(as = Organization)]
pub(crate) struct OrganizationView {
    /// Its id.
    organization_id: String,
    /// `free`, `startup`, `business` or `enterprise`.
    plan: &'static str,
    /// Whether the owner address was confirmed.
    verified: bool,
    /// Live inboxes.
    inbox_count: u64,
    /// The most inboxes.
    #[schema(required = true)]
    inbox_limit: Option<u64>,
    /// Custom domains.
    domain_count: u64,
    /// The most custom domains.
    #[schema(required = true)]
    domain_limit: Option<u64>,
    /// Pods, the default pod included.
    pod_count: u64,
    /// The most pods.
    #[schema(required = true)]
    pod_limit: Option<u64>,
    /// Webhooks.
    webhook_count: u64,
    /// The most webhooks.
    #[schema(required = true)]
    webhook_limit: Option<u64>,
    /// Octets of live messages.
    storage_bytes: u64,
    /// The most octets of live messages.
    #[schema(required = true)]
    storage_limit_bytes: Option<u64>,
    /// When it signed up.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it last changed.
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
            created_at: format_time(organization.created_at),
            updated_at: format_time(organization.updated_at),
        }
    }
}
