//! Store of MTA-STS policies, shared by all processes.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::StsPolicy;

/// Stored policies (RFC 8461). They survive a restart, so a DNS attack after a restart cannot downgrade a connection.
#[async_trait]
pub trait StsPolicyStore: Send + Sync {
    /// Returns the policy of a domain and updates its time of use.
    async fn load_sts_policy(&self, domain: &str, now: OffsetDateTime) -> Result<Option<StsPolicy>, StoreError>;

    /// Stores or replaces the policy of a domain.
    async fn save_sts_policy(&self, domain: &str, policy: &StsPolicy) -> Result<(), StoreError>;

    /// Deletes expired policies, then the least recently used ones above `max_bytes`. Returns the number of deleted
    /// policies.
    async fn evict_sts_policies(&self, now: OffsetDateTime, max_bytes: u64) -> Result<u64, StoreError>;
}
