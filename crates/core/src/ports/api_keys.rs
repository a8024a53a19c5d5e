//! API keys.

use std::collections::BTreeSet;

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{
    ApiKey, ApiKeyId, Connection, ConnectionId, InboxId, Member, Organization, OrganizationId, Page, PageRequest, PodId,
};

/// A key found by its hash, with its organization, member and connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The key; it may have expired.
    pub api_key: ApiKey,
    /// Its organization.
    pub organization: Organization,
    /// The current member, for keys of a sign-in and access tokens.
    pub member: Option<Member>,
    /// The unrevoked connection, for access tokens.
    pub connection: Option<Connection>,
}

/// Filter and page of a key list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKeyQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Only keys with access to this pod or one of its inboxes and to nothing else.
    pub pod_id: Option<PodId>,
    /// Only keys limited to this inbox.
    pub inbox_id: Option<InboxId>,
    /// Only keys limited to one of these inboxes.
    pub among: Option<BTreeSet<InboxId>>,
    /// The page, ordered by creation time.
    pub page: PageRequest,
}

/// Reads of API keys.
#[port]
pub trait ApiKeyReads {
    /// Returns the unrevoked key of a hash, see [`credentials`](Self::credentials). Concurrent calls can share a query
    /// that starts after each of them.
    async fn credential(&self, hash: &[u8; 32]) -> Result<Option<Credential>, StoreError>;

    /// Returns the unrevoked keys of these hashes, in any order, without a cache. Keys of removed members and
    /// of revoked connections are absent.
    async fn credentials(&self, hashes: &[[u8; 32]]) -> Result<Vec<([u8; 32], Credential)>, StoreError>;

    /// Returns a page of unrevoked keys, expired ones included, without access tokens.
    async fn list_api_keys(&self, query: &ApiKeyQuery) -> Result<Page<ApiKey>, StoreError>;

    /// Returns an unrevoked key that is no access token.
    async fn api_key(
        &self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
    ) -> Result<Option<ApiKey>, StoreError>;

    /// Records the use of a key, and of its connection, outside any unit of work, because its loss is harmless.
    async fn touch_api_key(
        &self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// Writes of API keys.
#[port]
pub trait ApiKeyWrites: Send {
    /// Stores a new key under its hash.
    async fn insert(&mut self, api_key: &ApiKey, hash: &[u8; 32]) -> Result<(), StoreError>;

    /// Locks and returns an unrevoked key. The lock excludes changes, revocation and sends with this key.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
    ) -> Result<Option<ApiKey>, StoreError>;

    /// Returns an unrevoked key under a shared lock: no other transaction revokes or changes it until the unit of work
    /// ends.
    async fn hold(
        &mut self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
    ) -> Result<Option<ApiKey>, StoreError>;

    /// Returns all unrevoked keys of an organization without access tokens, oldest first. Complete under the lock of
    /// the organization.
    async fn all(&mut self, organization_id: OrganizationId) -> Result<Vec<ApiKey>, StoreError>;

    /// Revokes a key; its row stays as a record. Returns whether the key was unrevoked.
    async fn revoke(
        &mut self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Stores the name, permissions and modification time of a key. Returns whether the key exists unrevoked.
    async fn update(&mut self, api_key: &ApiKey) -> Result<bool, StoreError>;

    /// Revokes all keys limited to this pod, and returns them.
    async fn revoke_of_pod(
        &mut self,
        organization_id: OrganizationId,
        pod_id: PodId,
        at: OffsetDateTime,
    ) -> Result<Vec<ApiKeyId>, StoreError>;

    /// Revokes all keys limited to this inbox, and returns them.
    async fn revoke_of_inbox(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<Vec<ApiKeyId>, StoreError>;

    /// Deletes the access tokens of a connection except the newest `retained` ones. The caller holds the lock of the
    /// connection.
    async fn limit_access_tokens(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
        retained: u32,
    ) -> Result<(), StoreError>;

    /// Deletes up to `limit` access tokens that expired before this time. Returns the number of deleted tokens.
    async fn purge_access_tokens(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}
