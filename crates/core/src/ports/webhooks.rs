//! Webhooks, and the log of what was sent to them.

use std::collections::BTreeSet;

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{
    EncryptedSecrets, EventId, EventType, InboxId, OrganizationId, Page, PageRequest, PodId, Webhook, WebhookAttempt,
    WebhookId,
};

/// Whose webhooks are meant: all conditions together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookScope {
    /// Whose.
    pub organization_id: OrganizationId,
    /// Only those made for this pod, or for an inbox of it.
    pub pod_id: Option<PodId>,
    /// Only those made for this inbox.
    pub inbox_id: Option<InboxId>,
    /// Only those made for one of these inboxes.
    pub among: Option<BTreeSet<InboxId>>,
}

/// How attempts ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptResult {
    /// With an answer 2xx.
    Succeeded,
    /// With any other answer, or none.
    Failed,
}

/// Which attempts to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptQuery {
    /// Of which webhooks. Those of one that was deleted are found by their organization alone.
    pub scope: WebhookScope,
    /// Only those to this webhook.
    pub webhook_id: Option<WebhookId>,
    /// Only those of this event.
    pub event_id: Option<EventId>,
    /// Only those of events of one of these kinds; empty means all.
    pub event_types: Vec<EventType>,
    /// Only those that ended so.
    pub result: Option<AttemptResult>,
    /// Only those that were answered with this status.
    pub status_code: Option<u16>,
    /// Not before this.
    pub start: Option<OffsetDateTime>,
    /// Before this.
    pub end: Option<OffsetDateTime>,
    /// Which page; ordered by the time of the attempt.
    pub page: PageRequest,
}

/// Questions about webhooks.
#[port]
pub trait WebhookReads {
    /// One webhook.
    async fn webhook(
        &self,
        organization_id: OrganizationId,
        webhook_id: WebhookId,
    ) -> Result<Option<Webhook>, StoreError>;

    /// A page of webhooks, ordered by the time of creation.
    async fn list_webhooks(&self, scope: &WebhookScope, page: &PageRequest) -> Result<Page<Webhook>, StoreError>;

    /// A page of the log of attempts.
    async fn list_attempts(&self, query: &AttemptQuery) -> Result<Page<WebhookAttempt>, StoreError>;
}

/// Changes of webhooks.
#[port]
pub trait WebhookWrites: Send {
    /// How many webhooks an organization has. Exact under the organization's lock.
    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;

    /// Reads every webhook of an organization, by id. Complete under the organization's lock.
    async fn all(&mut self, organization_id: OrganizationId) -> Result<Vec<Webhook>, StoreError>;

    /// Stores a new webhook.
    async fn insert(&mut self, webhook: &Webhook, sealed: &EncryptedSecrets) -> Result<(), StoreError>;

    /// Reads a webhook and locks it.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        webhook_id: WebhookId,
    ) -> Result<Option<(Webhook, EncryptedSecrets)>, StoreError>;

    /// Stores everything of a webhook that can change.
    async fn update(&mut self, webhook: &Webhook, sealed: &EncryptedSecrets) -> Result<(), StoreError>;

    /// Deletes a webhook. Answers whether there was one.
    async fn delete(&mut self, organization_id: OrganizationId, webhook_id: WebhookId) -> Result<bool, StoreError>;

    /// Deletes the webhooks that were made for an inbox, and takes it out of what the others hear of. One that heard of
    /// nothing else hears of nothing.
    async fn leave_inbox(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Deletes the webhooks that were made for a pod, and takes it out of what the others hear of. One that heard of
    /// nothing else hears of nothing.
    async fn leave_pod(
        &mut self,
        organization_id: OrganizationId,
        pod_id: PodId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;
}
