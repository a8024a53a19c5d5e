//! The queue of webhook deliveries.

use inboxd_port_macros::port;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use crate::model::event::EventRecord;
use crate::model::{EncryptedSecrets, EventId, OrganizationId, Webhook, WebhookAttempt, WebhookDelivery, WebhookId};
use crate::rules::webhooks::auto_disable::FailureStreak;
use crate::rules::webhooks::truncation::OmittablePart;

/// Key of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventKey {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The time of the event.
    pub created_at: OffsetDateTime,
    /// The event id.
    pub event_id: EventId,
}

/// An event with its message, unfiltered by visibility.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeEvent {
    /// The event.
    pub record: EventRecord,
    /// The parts of the message left out because of their size.
    pub left_out: Vec<OmittablePart>,
}

/// Parameters of one claim of due deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryClaim {
    /// The claim id, unique per claim.
    pub claim_id: Uuid,
    /// The current time.
    pub now: OffsetDateTime,
    /// The end of the lease.
    pub until: OffsetDateTime,
    /// The maximum number of deliveries: the free capacity of the worker.
    pub limit: u32,
    /// The maximum number of deliveries of failing webhooks.
    pub failing: u32,
    /// The maximum number of claimed deliveries per webhook, over all processes. For a failing webhook it is one.
    pub per_webhook: u32,
    /// Divisor of the fair share. An organization gets another delivery only while the free capacity is at least this
    /// many times its deliveries, the new one included. The first delivery is always granted. Failing webhooks get half
    /// of the share.
    pub share_divisor: u32,
    /// The number of deliveries claimed by this process, per organization.
    pub held: Vec<(OrganizationId, u32)>,
}

/// New state of a delivery after an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// The delivery.
    pub delivery: WebhookDelivery,
    /// The time of the next attempt; `None` when the delivery is finished.
    pub next_attempt_at: Option<OffsetDateTime>,
}

/// Failure state of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureRun {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The webhook.
    pub webhook_id: WebhookId,
    /// The failure streak since the last success.
    pub run: Option<FailureStreak>,
    /// Whether the webhook is enabled.
    pub enabled: bool,
}

/// Reads of webhook deliveries in bulk, and their claim. Each call is its own transaction.
#[port]
pub trait DeliveryReads {
    /// Claims due deliveries of enabled webhooks, except those of suspended organizations; claims none while the queue
    /// is held. Skips rows that another worker is claiming. New deliveries of a webhook come first, in feed order, with
    /// one retry after every fourth, or before a quarter of them while the webhook may have fewer than four. When capacity
    /// is short, every organization gets one delivery before any gets a second; the same holds for its webhooks. No
    /// organization exceeds its share. The result is in the order of execution.
    async fn claim_deliveries(&self, claim: &DeliveryClaim) -> Result<Vec<WebhookDelivery>, StoreError>;

    /// Returns the existing webhooks of these ids with their encrypted secrets.
    async fn receivers(
        &self,
        webhooks: &[(OrganizationId, WebhookId)],
    ) -> Result<Vec<(Webhook, EncryptedSecrets)>, StoreError>;

    /// Returns the existing events of these keys with their messages. Bodies above `largest_body` bytes are left out.
    async fn whole_events(&self, events: &[EventKey], largest_body: u32) -> Result<Vec<WholeEvent>, StoreError>;
}

/// Writes of the queue. Webhooks precede deliveries in the lock order.
#[port]
pub trait DeliveryWrites: Send {
    /// Appends attempts to the log, without duplicates.
    async fn log(&mut self, attempts: &[WebhookAttempt]) -> Result<(), StoreError>;

    /// Releases or removes deliveries whose claims are still valid.
    async fn settle(&mut self, settlements: &[Settlement]) -> Result<(), StoreError>;

    /// Locks and returns the failure states of those webhooks that failed now (the flag) or have a failure streak, in
    /// the order of organization and webhook ids.
    async fn lock_runs(
        &mut self,
        webhooks: &[(OrganizationId, WebhookId, bool)],
    ) -> Result<Vec<FailureRun>, StoreError>;

    /// Stores failure states of webhooks.
    async fn update_runs(&mut self, runs: &[FailureRun], at: OffsetDateTime) -> Result<(), StoreError>;

    /// Deletes up to `limit` deliveries of deleted webhooks or of events with ids before `forgotten`. Returns the
    /// number of deleted rows.
    async fn purge(&mut self, forgotten: EventId, limit: u32) -> Result<u64, StoreError>;
}
