//! The queue of events for webhooks.

use inboxd_port_macros::port;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use crate::model::event::EventRecord;
use crate::model::{EncryptedSecrets, EventId, OrganizationId, Webhook, WebhookAttempt, WebhookDelivery, WebhookId};
use crate::rules::webhooks::auto_disable::FailureStreak;
use crate::rules::webhooks::truncation::OmittablePart;

/// Where an event is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventKey {
    /// The owner.
    pub organization_id: OrganizationId,
    /// When it happened.
    pub created_at: OffsetDateTime,
    /// The event.
    pub event_id: EventId,
}

/// An event with its mail, whoever may see that.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeEvent {
    /// The event.
    pub record: EventRecord,
    /// The parts of the mail that are there and were not read, for they are too large.
    pub left_out: Vec<OmittablePart>,
}

/// Which deliveries to claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryClaim {
    /// The claim: of its own for each time.
    pub claim_id: Uuid,
    /// The time.
    pub now: OffsetDateTime,
    /// When the claim runs out, should nothing come of it.
    pub until: OffsetDateTime,
    /// How many at most: the places that are free.
    pub limit: u32,
    /// How many at most of webhooks that are failing.
    pub failing: u32,
    /// How many deliveries of one webhook may be in anybody's hands at a time. Of one that is failing it is one.
    pub per_webhook: u32,
    /// An organization gets another delivery only while so many times as many places stay free as it then has; the first is
    /// always granted. Failing webhooks get half of that share.
    pub share_divisor: u32,
    /// How many deliveries the process has in hand, by organization.
    pub held: Vec<(OrganizationId, u32)>,
}

/// What becomes of a delivery after an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// The delivery.
    pub delivery: WebhookDelivery,
    /// When it is tried again; `None` when it is over.
    pub next_attempt_at: Option<OffsetDateTime>,
}

/// How a webhook has fared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureRun {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The webhook.
    pub webhook_id: WebhookId,
    /// Its failures since the last success.
    pub run: Option<FailureStreak>,
    /// Whether anything is sent.
    pub enabled: bool,
}

/// Questions about what is sent to webhooks, for many of them at once, and the one act that comes before: each is complete
/// in itself.
#[port]
pub trait DeliveryReads {
    /// Claims deliveries that are due, to webhooks that are enabled; those that another claims in this moment are passed
    /// over. Of each webhook the new ones come first, in the order of the feed, with one of those that failed before
    /// after every few. Where there is not room for all, every organization gets one before any gets a second, and so
    /// do the webhooks within each; none gets more than its share. They are answered in the order in which they are to begin.
    async fn claim_deliveries(&self, claim: &DeliveryClaim) -> Result<Vec<WebhookDelivery>, StoreError>;

    /// The webhooks of these ids that are there, with what only sending needs of them.
    async fn receivers(
        &self,
        webhooks: &[(OrganizationId, WebhookId)],
    ) -> Result<Vec<(Webhook, EncryptedSecrets)>, StoreError>;

    /// The events of these keys that are there, with their mail; bodies larger than so many octets are left out.
    async fn whole_events(&self, events: &[EventKey], largest_body: u32) -> Result<Vec<WholeEvent>, StoreError>;
}

/// Changes of the queue. Webhooks come before deliveries in the order of locks.
#[port]
pub trait DeliveryWrites: Send {
    /// Writes attempts into the log. One that is in it already is not written again.
    async fn log(&mut self, attempts: &[WebhookAttempt]) -> Result<(), StoreError>;

    /// Gives deliveries back, or takes them out of the queue, where their claims still hold.
    async fn settle(&mut self, settlements: &[Settlement]) -> Result<(), StoreError>;

    /// Reads and locks how webhooks have fared, by their ids: those of which a delivery has failed now, and of the others
    /// those that are in a run of failures.
    async fn lock_runs(
        &mut self,
        webhooks: &[(OrganizationId, WebhookId, bool)],
    ) -> Result<Vec<FailureRun>, StoreError>;

    /// Stores how webhooks have fared.
    async fn update_runs(&mut self, runs: &[FailureRun], at: OffsetDateTime) -> Result<(), StoreError>;

    /// Deletes up to `limit` deliveries to webhooks that are gone, or of events with ids before this one, and answers how
    /// many.
    async fn purge(&mut self, forgotten: EventId, limit: u32) -> Result<u64, StoreError>;
}
