//! What is used, against the caps.

use async_trait::async_trait;
use time::Date;

use super::StoreError;
use crate::model::{InboxId, OrganizationId, SendCounts, UsageChange};

/// Counters that grow and shrink with what they count, in the same unit of work.
#[async_trait]
pub trait Usage: Send {
    /// Changes the usage of inboxes, in the order of their ids. It locks their rows, so it comes last before the commit.
    async fn change(
        &mut self,
        organization_id: OrganizationId,
        changes: &[(InboxId, UsageChange)],
    ) -> Result<(), StoreError>;

    /// Octets of live messages, over all inboxes of an organization.
    async fn storage_bytes(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;

    /// How many mails were sent on a day and in its month up to that day. Exact under the organization's lock.
    async fn sends(&mut self, organization_id: OrganizationId, today: Date) -> Result<SendCounts, StoreError>;

    /// Counts one mail as sent on a day.
    async fn count_send(&mut self, organization_id: OrganizationId, today: Date) -> Result<(), StoreError>;
}
