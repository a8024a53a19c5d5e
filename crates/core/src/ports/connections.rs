//! Connections of OAuth clients.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{Connection, ConnectionId, MemberId, OrganizationId, Page, PageRequest};

/// Filter and page of a list of connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Only connections of this member.
    pub member_id: Option<MemberId>,
    /// Only connections that expire after this time.
    pub live_at: OffsetDateTime,
    /// The page, ordered by the time of the consent.
    pub page: PageRequest,
}

/// Reads of connections. Revoked ones are absent, and those whose code no client has exchanged.
#[port]
pub trait ConnectionReads {
    /// Returns a connection.
    async fn connection(
        &self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
    ) -> Result<Option<Connection>, StoreError>;

    /// Returns a page of connections.
    async fn list_connections(&self, query: &ConnectionQuery) -> Result<Page<Connection>, StoreError>;
}

/// Writes of connections.
#[port]
pub trait ConnectionWrites: Send {
    /// Stores a new connection.
    async fn insert(&mut self, connection: &Connection) -> Result<(), StoreError>;

    /// Returns the number of unrevoked connections of a member, those without an exchanged code included. Exact under the
    /// lock of the member.
    async fn count(
        &mut self,
        organization_id: OrganizationId,
        member_id: MemberId,
        now: OffsetDateTime,
    ) -> Result<u64, StoreError>;

    /// Returns a connection without a lock, revoked or not, used or not.
    async fn find(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
    ) -> Result<Option<Connection>, StoreError>;

    /// Returns an unrevoked connection under a shared lock: no other transaction changes or revokes it until the unit of
    /// work ends.
    async fn hold(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
    ) -> Result<Option<Connection>, StoreError>;

    /// Locks and returns an unrevoked connection.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
    ) -> Result<Option<Connection>, StoreError>;

    /// Stores permissions, inboxes, use, modification time and expiry of a connection. Returns whether it is unrevoked.
    async fn update(&mut self, connection: &Connection) -> Result<bool, StoreError>;

    /// Revokes a connection and its access tokens, and deletes its refresh tokens. Returns whether it was unrevoked.
    async fn revoke(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Deletes up to `limit` connections: those without an exchanged code after
    /// [`Connection::UNUSED_RETENTION`], those revoked or expired after [`Connection::ENDED_RETENTION`], and those without
    /// a use in [`Connection::MAX_IDLE`]. Their tokens have expired; remaining refresh tokens are deleted with them. Returns
    /// the number of deleted connections.
    async fn purge(&mut self, now: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}
