//! Audit log.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{AuditAction, AuditEntry, AuditedResource, OrganizationId, Page, PageRequest};

/// Filter and page of the audit log. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Only changes by this author.
    pub actor_id: Option<String>,
    /// Only changes of this kind.
    pub action: Option<AuditAction>,
    /// Only changes of this kind of resource.
    pub resource_type: Option<AuditedResource>,
    /// Only changes of this resource.
    pub resource_id: Option<String>,
    /// Only changes at or after this time.
    pub start: Option<OffsetDateTime>,
    /// Only changes before this time.
    pub end: Option<OffsetDateTime>,
    /// The page, ordered by the time of the change.
    pub page: PageRequest,
}

/// Reads of the audit log.
#[port]
pub trait AuditReads {
    /// Returns a page of the log.
    async fn list_audit(&self, query: &AuditQuery) -> Result<Page<AuditEntry>, StoreError>;
}

/// Writes of the audit log, which storage lets nothing else change or delete.
#[port]
pub trait AuditWrites: Send {
    /// Appends an entry. With a limit, returns false and appends nothing if its author has that many entries of this
    /// UTC day.
    async fn append(&mut self, entry: &AuditEntry, daily_limit: Option<u64>) -> Result<bool, StoreError>;

    /// Deletes up to `limit` entries from before a time, and returns their number.
    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}
