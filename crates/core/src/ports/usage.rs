//! What is used, against the caps.

use inboxd_port_macros::port;
use time::{Date, OffsetDateTime};

use super::StoreError;
use crate::model::{InboxId, OrganizationId, SendCounts, UsageChange};

/// One round of writing down what is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sampling {
    /// The hour that the samples are for.
    pub hour: OffsetDateTime,
    /// When they are taken, within that hour.
    pub taken_at: OffsetDateTime,
    /// A scope whose last sample is not older than this is sampled only if something has changed in it.
    pub unchanged_since: OffsetDateTime,
    /// Samples of hours before this go.
    pub kept_since: OffsetDateTime,
    /// The last organization of the round before; `None` at the beginning.
    pub after: Option<OrganizationId>,
    /// The most organizations.
    pub limit: u32,
}

/// Rows that are counted before one more is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CountedRows {
    /// Drafts of an inbox.
    Drafts(InboxId),
    /// Entries of all allow and block lists.
    ListEntries,
    /// API keys that are not revoked.
    ApiKeys,
    /// Members who have not joined yet.
    PendingInvitations,
}

/// Counters that grow and shrink with what they count, in the same unit of work.
#[port]
pub trait UsageWrites: Send {
    /// Changes the usage of inboxes, in the order of their ids. It locks their rows, so it comes behind all but events.
    async fn change(&mut self, changes: &[(OrganizationId, InboxId, UsageChange)]) -> Result<(), StoreError>;

    /// Bytes of live messages, drafts and notes, over all inboxes of an organization.
    async fn storage_bytes(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;

    /// How many mails were sent on a day and in its month up to that day. Exact under the organization's lock.
    async fn sends(&mut self, organization_id: OrganizationId, today: Date) -> Result<SendCounts, StoreError>;

    /// Counts rows of an organization, up to `limit`. Exact under the organization's lock.
    async fn count_rows(
        &mut self,
        organization_id: OrganizationId,
        rows: &CountedRows,
        limit: u64,
    ) -> Result<u64, StoreError>;

    /// Counts one more creation of a day and returns how many there are. It locks the counter, so it comes last of all.
    async fn count_creation(&mut self, organization_id: OrganizationId, today: Date) -> Result<u64, StoreError>;

    /// Writes down what some organizations use, with each of their pods and inboxes, unless somebody did so in this hour.
    /// Answers the last of them; nothing when there were none.
    async fn sample(&mut self, sampling: &Sampling) -> Result<Option<OrganizationId>, StoreError>;
}
