//! Polling webhooks.

use inboxd_port_macros::port;

use super::StoreError;
use crate::model::{Organization, OrganizationId, Page, PageRequest, PollingWebhook, Reach, WebhookId};

/// Reads of polling webhooks.
#[port]
pub trait PollingReads {
    /// Returns a polling webhook.
    async fn polling_webhook(
        &self,
        organization_id: OrganizationId,
        webhook_id: WebhookId,
    ) -> Result<Option<PollingWebhook>, StoreError>;

    /// Returns the polling webhooks of these tokens with their organizations.
    async fn polling_webhooks_of_tokens(
        &self,
        token_hashes: &[[u8; 32]],
    ) -> Result<Vec<(Organization, PollingWebhook)>, StoreError>;

    /// Returns a page of the polling webhooks that were created for exactly this place, ordered by creation time.
    async fn list_polling_webhooks(
        &self,
        organization_id: OrganizationId,
        place: &Reach,
        page: &PageRequest,
    ) -> Result<Page<PollingWebhook>, StoreError>;
}

/// Writes of polling webhooks. The webhooks of a deleted inbox or pod are deleted with its other webhooks.
#[port]
pub trait PollingWrites: Send {
    /// Returns the number of polling webhooks of exactly this place. Exact under the lock of the organization.
    async fn count(&mut self, organization_id: OrganizationId, place: &Reach) -> Result<u64, StoreError>;

    /// Returns the polling webhook with this `client_id`.
    async fn named(
        &mut self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<PollingWebhook>, StoreError>;

    /// Stores a new polling webhook.
    async fn insert(&mut self, webhook: &PollingWebhook) -> Result<(), StoreError>;

    /// Stores another token of a polling webhook; the previous one stops working.
    async fn replace_token(&mut self, webhook: &PollingWebhook) -> Result<(), StoreError>;

    /// Deletes a polling webhook. Returns whether it existed.
    async fn delete(&mut self, organization_id: OrganizationId, webhook_id: WebhookId) -> Result<bool, StoreError>;

    /// Deletes and returns the polling webhooks of an organization.
    async fn delete_all(&mut self, organization_id: OrganizationId) -> Result<Vec<PollingWebhook>, StoreError>;
}
