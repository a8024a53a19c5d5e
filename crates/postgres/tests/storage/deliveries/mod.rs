mod claims;
mod outcomes;
mod queued;

use diesel_async::SimpleAsyncConnection;
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::{
    EncryptedSecrets, Event, EventBody, EventId, EventType, InboxId, MessageBody, OrganizationId, PodId, Reach,
    Webhook, WebhookAttempt, WebhookDelivery, WebhookId, WebhookTargets,
};
use inboxd_core::ports::{
    CommitWatch, DeliveryClaim, DeliveryReads, EventKey, FailureRun, FeedReads, Settlement, WebhookReads, WholeEvent,
};
use inboxd_core::rules::trust::Verdict;
use inboxd_core::rules::webhooks::auto_disable::FailureStreak;
use inboxd_core::rules::webhooks::truncation::OmittablePart;
use inboxd_postgres::{PgStore, connect};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::support::*;
use crate::walks::rows_read;

pub(crate) fn webhook_id(number: u128) -> WebhookId {
    Uuid::from_u128(number).into()
}

/// An enabled webhook that subscribes to all inbound mail.
fn webhook(organization_id: OrganizationId, number: u128) -> Webhook {
    Webhook {
        organization_id,
        webhook_id: webhook_id(number),
        place: Reach::Organization,
        url: "https://agent.example/hook".to_owned(),
        event_types: vec![EventType::MessageReceived],
        trust: Vec::new(),
        selection: None,
        enabled: true,
        header_names: vec![],
        client_id: None,
        failing_since: None,
        last_failed_at: None,
        created_at: at(0),
        updated_at: at(0),
    }
}

async fn store_webhook(world: &World, webhook: &Webhook) {
    let sealed = EncryptedSecrets { secret: vec![7; 40], previous: vec![], headers: None };
    let mut tx = world.begin().await;
    tx.webhooks().insert(webhook, &sealed).await.unwrap();
    tx.commit().await.unwrap();
}

/// Stores an enabled webhook.
pub(crate) async fn add_webhook(world: &World, number: u128) -> WebhookId {
    store_webhook(world, &webhook(world.organization_id(), number)).await;
    webhook_id(number)
}

/// Queues events of these positions for a webhook; the id of an event is its position.
pub(crate) async fn queue(world: &World, webhook: WebhookId, positions: impl IntoIterator<Item = u32>) {
    let (organization, webhook) = (world.organization_id().0, webhook.0);
    let rows: Vec<String> = positions
        .into_iter()
        .map(|position| {
            let event = Uuid::from_u128(position.into());
            let happened = at(position.into());
            format!(
                "('{organization}', '{webhook}', '{event}', 'message.received', '{happened}', {position}, '{happened}')"
            )
        })
        .collect();
    let sql = format!(
        "INSERT INTO webhook_deliveries (organization_id, webhook_id, event_id, event_type, event_created_at, position,
            due_at) VALUES {}",
        rows.join(", ")
    );
    world.database.execute(&sql).await;
}

/// Claims at most that many deliveries at this time, for a second.
pub(crate) fn claim_of(now: i64, limit: u32) -> DeliveryClaim {
    DeliveryClaim {
        claim_id: Uuid::from_u128(u128::from(now.unsigned_abs()) << 32 | u128::from(limit)),
        now: at(now),
        until: at(now + 1_000),
        limit,
        failing: limit,
        per_webhook: 8,
        share_divisor: 0,
        held: Vec::new(),
    }
}

pub(crate) async fn claim(world: &World, claim: DeliveryClaim) -> Vec<WebhookDelivery> {
    world.store.claim_deliveries(&claim).await.unwrap()
}

fn positions(claimed: &[WebhookDelivery]) -> Vec<i64> {
    claimed.iter().map(|delivery| delivery.position).collect()
}

fn of(claimed: &[WebhookDelivery], webhook: WebhookId) -> Vec<i64> {
    positions(&claimed.iter().filter(|delivery| delivery.webhook_id == webhook).cloned().collect::<Vec<_>>())
}

fn settlement(delivery: &WebhookDelivery, next_attempt_at: Option<OffsetDateTime>) -> Settlement {
    Settlement { delivery: delivery.clone(), next_attempt_at }
}

async fn settle(world: &World, settlements: &[Settlement]) {
    let mut tx = world.begin().await;
    tx.deliveries().settle(settlements).await.unwrap();
    tx.commit().await.unwrap();
}
