//! API keys.

use std::collections::BTreeSet;

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{ApiKey, ApiKeyId, InboxId, Member, Organization, OrganizationId, Page, PageRequest, PodId};

/// A key that was found by its hash, with its organization and the person whose key it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The key; it may have expired.
    pub api_key: ApiKey,
    /// Its organization.
    pub organization: Organization,
    /// The person, where the key comes from a sign-in; as they are now.
    pub member: Option<Member>,
}

/// Which keys to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKeyQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// Only those that reach this pod or an inbox of it, and nothing beyond.
    pub pod_id: Option<PodId>,
    /// Only those that reach exactly this inbox.
    pub inbox_id: Option<InboxId>,
    /// Only those that reach exactly one of these inboxes.
    pub among: Option<BTreeSet<InboxId>>,
    /// Which page; ordered by the time of creation.
    pub page: PageRequest,
}

/// Questions about keys.
#[port]
pub trait ApiKeyReads {
    /// The unrevoked key of a hash, as [`credentials`](Self::credentials) finds it. Those who ask at the same moment may
    /// share the answer, but none that was looked for before they asked.
    async fn credential(&self, hash: &[u8; 32]) -> Result<Option<Credential>, StoreError>;

    /// The unrevoked keys of these hashes, in any order. The answer is as new as the question: no cache stands between. The
    /// key of a member who was removed is not there.
    async fn credentials(&self, hashes: &[[u8; 32]]) -> Result<Vec<([u8; 32], Credential)>, StoreError>;

    /// A page of unrevoked keys, the expired ones included.
    async fn list_api_keys(&self, query: &ApiKeyQuery) -> Result<Page<ApiKey>, StoreError>;

    /// One unrevoked key.
    async fn api_key(
        &self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
    ) -> Result<Option<ApiKey>, StoreError>;

    /// Notes that a key was used, outside any unit of work: losing it costs nothing.
    async fn touch_api_key(
        &self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// Changes of keys.
#[port]
pub trait ApiKeyWrites: Send {
    /// Stores a new key under its hash.
    async fn insert(&mut self, api_key: &ApiKey, hash: &[u8; 32]) -> Result<(), StoreError>;

    /// Reads an unrevoked key and locks it: nobody else changes or revokes it, and nobody is given mail in its name.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
    ) -> Result<Option<ApiKey>, StoreError>;

    /// Reads an unrevoked key and holds it as it is until the unit of work ends: nobody revokes or changes it meanwhile.
    async fn hold(
        &mut self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
    ) -> Result<Option<ApiKey>, StoreError>;

    /// Reads every unrevoked key of an organization, oldest first. Complete under the organization's lock.
    async fn all(&mut self, organization_id: OrganizationId) -> Result<Vec<ApiKey>, StoreError>;

    /// Revokes a key; its row stays as a record. Answers whether there was one to revoke.
    async fn revoke(
        &mut self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Stores a key's new name, permissions and time of change. Answers whether it was there, unrevoked.
    async fn update(&mut self, api_key: &ApiKey) -> Result<bool, StoreError>;

    /// Revokes every key that reaches exactly this pod.
    async fn revoke_of_pod(
        &mut self,
        organization_id: OrganizationId,
        pod_id: PodId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Revokes every key that reaches exactly this inbox.
    async fn revoke_of_inbox(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;
}
