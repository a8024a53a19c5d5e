//! MTA-STS policies that all processes of one database share.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::StsPolicy;

/// Stored policies (RFC 8461): a restart forgets none, so that an attack on DNS right after it downgrades nothing.
#[async_trait]
pub trait StsPolicyStore: Send + Sync {
    /// Returns the policy of a domain, and marks it as used.
    async fn load_sts_policy(&self, domain: &str, now: OffsetDateTime) -> Result<Option<StsPolicy>, StoreError>;

    /// Stores the policy of a domain in place of the one before.
    async fn save_sts_policy(&self, domain: &str, policy: &StsPolicy) -> Result<(), StoreError>;

    /// Deletes expired policies and, until the others take `max_bytes` at most, those least recently used. Returns how many.
    async fn evict_sts_policies(&self, now: OffsetDateTime, max_bytes: u64) -> Result<u64, StoreError>;
}
