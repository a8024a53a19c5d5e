//! Webhooks and the log of delivery attempts.

use std::collections::BTreeSet;

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{
    EncryptedSecrets, EventId, EventType, InboxId, OrganizationId, Page, PageRequest, PodId, Webhook, WebhookAttempt,
    WebhookId,
};

/// Scope of webhooks; all conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookScope {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Only webhooks of this pod or of one of its inboxes.
    pub pod_id: Option<PodId>,
    /// Only webhooks of this inbox.
    pub inbox_id: Option<InboxId>,
    /// Only webhooks of one of these inboxes.
    pub among: Option<BTreeSet<InboxId>>,
}

/// Result of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptResult {
    /// A response with status 2xx.
    Succeeded,
    /// Another response, or none.
    Failed,
}

/// Filter and page of a list of attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptQuery {
    /// The scope of the webhooks. Attempts of a deleted webhook match by organization alone.
    pub scope: WebhookScope,
    /// Only attempts of this webhook.
    pub webhook_id: Option<WebhookId>,
    /// Only attempts of this event.
    pub event_id: Option<EventId>,
    /// Only attempts of events of these types; empty selects all.
    pub event_types: Vec<EventType>,
    /// Only attempts with this result.
    pub result: Option<AttemptResult>,
    /// Only attempts with this response status.
    pub status_code: Option<u16>,
    /// The earliest time, inclusive.
    pub start: Option<OffsetDateTime>,
    /// The latest time, exclusive.
    pub end: Option<OffsetDateTime>,
    /// The page, ordered by the time of the attempt.
    pub page: PageRequest,
}

/// Reads of webhooks.
#[port]
pub trait WebhookReads {
    /// Returns a webhook.
    async fn webhook(
        &self,
        organization_id: OrganizationId,
        webhook_id: WebhookId,
    ) -> Result<Option<Webhook>, StoreError>;

    /// Returns a page of webhooks, ordered by creation time.
    async fn list_webhooks(&self, scope: &WebhookScope, page: &PageRequest) -> Result<Page<Webhook>, StoreError>;

    /// Returns a page of the attempt log.
    async fn list_attempts(&self, query: &AttemptQuery) -> Result<Page<WebhookAttempt>, StoreError>;
}

/// Writes of webhooks.
#[port]
pub trait WebhookWrites: Send {
    /// Returns the number of webhooks of an organization. Exact under the lock of the organization.
    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;

    /// Returns all webhooks of an organization, ordered by id. Complete under the lock of the organization.
    async fn all(&mut self, organization_id: OrganizationId) -> Result<Vec<Webhook>, StoreError>;

    /// Stores a new webhook.
    async fn insert(&mut self, webhook: &Webhook, sealed: &EncryptedSecrets) -> Result<(), StoreError>;

    /// Locks and returns a webhook.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        webhook_id: WebhookId,
    ) -> Result<Option<(Webhook, EncryptedSecrets)>, StoreError>;

    /// Stores all mutable fields of a webhook.
    async fn update(&mut self, webhook: &Webhook, sealed: &EncryptedSecrets) -> Result<(), StoreError>;

    /// Deletes a webhook. Returns whether it existed.
    async fn delete(&mut self, organization_id: OrganizationId, webhook_id: WebhookId) -> Result<bool, StoreError>;

    /// Deletes and returns the webhooks of an inbox, and removes it from the selections of the others. A selection that
    /// becomes empty matches no event.
    async fn leave_inbox(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<Vec<WebhookId>, StoreError>;

    /// Deletes and returns the webhooks of a pod, and removes it from the selections of the others. A selection that
    /// becomes empty matches no event.
    async fn leave_pod(
        &mut self,
        organization_id: OrganizationId,
        pod_id: PodId,
        at: OffsetDateTime,
    ) -> Result<Vec<WebhookId>, StoreError>;
}
