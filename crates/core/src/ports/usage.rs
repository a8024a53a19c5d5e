//! Usage counters and samples.

use inboxd_port_macros::port;
use time::{Date, OffsetDateTime};

use super::StoreError;
use crate::model::{InboxId, OrganizationId, SendCounts, UsageChange};

/// One round of usage sampling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sampling {
    /// The hour of the samples.
    pub hour: OffsetDateTime,
    /// The time of sampling, within that hour.
    pub taken_at: OffsetDateTime,
    /// A scope with a sample since this time is sampled only after a change.
    pub unchanged_since: OffsetDateTime,
    /// Samples of earlier hours are deleted.
    pub kept_since: OffsetDateTime,
    /// The last organization of the previous round; `None` at the start.
    pub after: Option<OrganizationId>,
    /// The maximum number of organizations.
    pub limit: u32,
}

/// Rows counted before one more is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CountedRows {
    /// Drafts of an inbox.
    Drafts(InboxId),
    /// Files of all inboxes.
    Files,
    /// Entries of all allow and block lists.
    ListEntries,
    /// Contacts of all inboxes with a decision.
    ContactDecisions,
    /// API keys that are not revoked.
    ApiKeys,
    /// Members with a pending invitation.
    PendingInvitations,
}

/// Usage counters, changed in the same unit of work as the rows they count.
#[port]
pub trait UsageWrites: Send {
    /// Changes the usage of inboxes, in the order of their ids. Locks their rows, so only events may follow.
    async fn change(&mut self, changes: &[(OrganizationId, InboxId, UsageChange)]) -> Result<(), StoreError>;

    /// Returns the bytes of live messages, drafts, notes and files of an organization.
    async fn storage_bytes(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;

    /// Returns the number of messages sent on a day and in its month to date. Exact under the lock of the organization.
    async fn sends(&mut self, organization_id: OrganizationId, today: Date) -> Result<SendCounts, StoreError>;

    /// Counts rows of an organization, up to `limit`. Exact under the organization's lock.
    async fn count_rows(
        &mut self,
        organization_id: OrganizationId,
        rows: &CountedRows,
        limit: u64,
    ) -> Result<u64, StoreError>;

    /// Increments the creation counter of a day and returns its value. Locks the counter of the organization, so it comes as
    /// late as the unit of work permits.
    async fn count_creation(&mut self, organization_id: OrganizationId, today: Date) -> Result<u64, StoreError>;

    /// Stores usage samples of some organizations and their pods and inboxes, unless this hour already has samples.
    /// Returns the last organization; `None` when there was none.
    async fn sample(&mut self, sampling: &Sampling) -> Result<Option<OrganizationId>, StoreError>;
}
