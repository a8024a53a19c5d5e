//! Webhook replays.

use inboxd_core::model::{
    EncryptedSecrets, Event, EventBody, EventType, OrganizationId, Reach, Webhook, WebhookId, WebhookTargets,
};
use inboxd_core::ports::{DeliveryClaim, DeliveryReads, QueuedEvent, ReplaySpan, Walked};
use uuid::Uuid;

use crate::support::*;

/// Time of the replays in these tests, after all events.
const NOW: i64 = 1_000_000;

fn webhook_id(number: u128) -> WebhookId {
    Uuid::from_u128(number).into()
}

fn webhook(world: &World, number: u128) -> Webhook {
    Webhook {
        organization_id: world.organization_id(),
        webhook_id: webhook_id(number),
        place: Reach::Organization,
        url: "https://agent.example/hook".to_owned(),
        event_types: vec![EventType::MessageSent],
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

async fn add(world: &World, webhook: &Webhook) {
    let sealed = EncryptedSecrets { secret: vec![7; 40], previous: vec![], headers: None };
    let mut tx = world.begin().await;
    tx.webhooks().insert(webhook, &sealed).await.unwrap();
    tx.commit().await.unwrap();
}

fn event(world: &World, number: u32, event_type: EventType) -> Event {
    Event {
        event_id: Uuid::from_u128(number.into()).into(),
        event_type,
        organization_id: world.organization_id(),
        pod_id: Some(world.inbox.pod_id),
        inbox_id: Some(world.inbox_id().clone()),
        thread_id: Some(thread_id(number.into())),
        message_id: Some(message_id(&number.to_string())),
        body: EventBody::Send { recipients: strings(&["a@example.org"]) },
        created_at: at(number.into()),
        traceparent: None,
    }
}

/// Appends events of these numbers with positions before the webhook exists.
async fn happen(world: &World, numbers: impl IntoIterator<Item = u32>) {
    let events: Vec<Event> = numbers.into_iter().map(|number| event(world, number, EventType::MessageSent)).collect();
    let mut tx = world.begin().await;
    tx.events().append(&events).await.unwrap();
    tx.commit().await.unwrap();
}

async fn begin(world: &World, number: u128, since: i64, until: i64) {
    let span = ReplaySpan {
        organization_id: world.organization_id(),
        webhook_id: webhook_id(number),
        since: at(since),
        until: at(until),
    };
    let mut tx = world.begin().await;
    tx.replays().begin(&span).await.unwrap();
    tx.commit().await.unwrap();
}

async fn walk(world: &World, number: u128, limit: u32) -> Walked {
    let mut tx = world.begin().await;
    let walked = tx.replays().walk(world.organization_id(), webhook_id(number), at(NOW), limit).await.unwrap();
    tx.commit().await.unwrap();
    walked
}

async fn next(world: &World, most_waiting: u32) -> Option<(OrganizationId, WebhookId)> {
    let mut tx = world.begin().await;
    let chosen = tx.replays().next(most_waiting, at(NOW)).await.unwrap();
    tx.commit().await.unwrap();
    chosen
}

/// Claims due deliveries and returns the numbers of the events in order of start.
async fn claimed(world: &World, now: i64) -> Vec<u128> {
    let claim = DeliveryClaim {
        claim_id: Uuid::from_u128(u128::from(now.unsigned_abs())),
        now: at(now),
        until: at(now + 1_000),
        limit: 100,
        failing: 100,
        per_webhook: 8,
        share_divisor: 0,
        held: Vec::new(),
    };
    let claimed = world.store.claim_deliveries(&claim).await.unwrap();
    claimed.iter().map(|delivery| delivery.event_id.0.as_u128()).collect()
}

#[tokio::test]
async fn replay_since_time_queues_batches_oldest_first() {
    let world = world().await;
    happen(&world, 1..=9).await;
    add(&world, &webhook(&world, 1)).await;
    begin(&world, 1, 3, 8).await;
    assert_eq!(walk(&world, 1, 4).await, Walked { queued: 4, is_end: false });
    assert_eq!(walk(&world, 1, 4).await, Walked { queued: 2, is_end: true });
    assert_eq!(claimed(&world, NOW).await, [3, 4, 5, 6, 7, 8]);
    assert_eq!(next(&world, 10).await, None, "it is complete");
    // Repeated while deliveries are claimed: none is queued twice.
    begin(&world, 1, 3, 8).await;
    assert_eq!(walk(&world, 1, 100).await, Walked { queued: 0, is_end: true });
}

#[tokio::test]
async fn replay_queues_only_subscribed_events() {
    let world = world().await;
    happen(&world, 1..=2).await;
    let mut tx = world.begin().await;
    tx.events().append(&[event(&world, 3, EventType::MessageDelivered)]).await.unwrap();
    tx.commit().await.unwrap();
    let other = inbox(&world.organization, "other@agents.example");
    add_inbox(&world.store, &other).await;
    let other = other.inbox_id;
    let selection = Some(WebhookTargets { pod_ids: Vec::new(), inbox_ids: vec![other.clone()] });
    let in_other = Reach::Inbox { pod_id: world.inbox.pod_id, inbox_id: other };
    for (number, webhook, queued) in [
        (1, webhook(&world, 1), 2),
        (2, Webhook { event_types: vec![EventType::MessageDelivered], ..webhook(&world, 2) }, 1),
        (3, Webhook { selection, ..webhook(&world, 3) }, 0),
        (4, Webhook { place: in_other, ..webhook(&world, 4) }, 0),
        (5, Webhook { selection: Some(WebhookTargets::default()), ..webhook(&world, 5) }, 0),
        (6, Webhook { place: Reach::Pod(world.inbox.pod_id), ..webhook(&world, 6) }, 2),
    ] {
        add(&world, &webhook).await;
        begin(&world, number, 0, NOW).await;
        assert_eq!(walk(&world, number, 100).await, Walked { queued, is_end: true }, "{webhook:?}");
    }
}

#[tokio::test]
async fn replayed_events_do_not_delay_new_ones() {
    let world = world().await;
    happen(&world, 1..=50).await;
    add(&world, &webhook(&world, 1)).await;
    begin(&world, 1, 0, NOW).await;
    assert_eq!(walk(&world, 1, 100).await, Walked { queued: 50, is_end: true });
    // From here on the webhook exists and receives new events.
    happen(&world, 51..=60).await;
    assert_eq!(claimed(&world, NOW).await.iter().filter(|number| **number > 50).count(), 7, "of eight, one is old");
}

#[tokio::test]
async fn replay_restarts_failed_event_and_leaves_pending_one() {
    let world = world().await;
    happen(&world, 1..=4).await;
    add(&world, &webhook(&world, 1)).await;
    let delivery = |number: u32, attempts: u32, claim: &str, due: i64| {
        format!(
            "INSERT INTO webhook_deliveries VALUES ('{}', '{}', '{}', 'message.sent', '{}', {number}, {attempts}, '{}', {claim})",
            world.organization_id().0,
            webhook_id(1).0,
            Uuid::from_u128(number.into()),
            at(number.into()),
            at(due)
        )
    };
    let somebodys = format!("'{}'", Uuid::from_u128(9));
    for sql in
        [delivery(1, 3, "NULL", NOW + 50_000), delivery(2, 0, "NULL", NOW), delivery(3, 2, &somebodys, NOW + 50_000)]
    {
        world.database.execute(&sql).await;
    }
    begin(&world, 1, 0, NOW).await;
    assert_eq!(walk(&world, 1, 100).await, Walked { queued: 2, is_end: true }, "the failed event, and the fourth one");
    let mut found = claimed(&world, NOW).await;
    found.sort_unstable();
    assert_eq!(found, [1, 2, 4]);
}

#[tokio::test]
async fn replayed_event_is_found_within_organization_and_queued_once() {
    let world = world().await;
    happen(&world, 1..=1).await;
    add(&world, &webhook(&world, 1)).await;
    let event_id = Uuid::from_u128(1).into();
    let mut tx = world.begin().await;
    let found = tx.replays().event(world.organization_id(), event_id).await.unwrap().unwrap();
    assert_eq!(
        found,
        QueuedEvent {
            organization_id: world.organization_id(),
            event_id,
            event_type: EventType::MessageSent,
            verdict: None,
            pod_id: Some(world.inbox.pod_id),
            inbox_id: Some(world.inbox_id().clone()),
            created_at: at(1),
            position: 1,
        }
    );
    assert_eq!(tx.replays().event(Uuid::from_u128(2).into(), event_id).await.unwrap(), None);
    assert_eq!(tx.replays().event(world.organization_id(), Uuid::from_u128(2).into()).await.unwrap(), None);
    assert!(tx.replays().queue(webhook_id(1), &found, at(NOW)).await.unwrap());
    assert!(!tx.replays().queue(webhook_id(1), &found, at(NOW)).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(claimed(&world, NOW).await, [1]);
}

#[tokio::test]
async fn repeated_replay_covers_both_ranges() {
    let world = world().await;
    happen(&world, 1..=9).await;
    add(&world, &webhook(&world, 1)).await;
    begin(&world, 1, 4, 6).await;
    assert_eq!(walk(&world, 1, 1).await, Walked { queued: 1, is_end: false });
    begin(&world, 1, 2, 5).await;
    begin(&world, 1, 8, 8).await;
    assert_eq!(walk(&world, 1, 100).await, Walked { queued: 6, is_end: true }, "2 to 8, of which 4 is queued");
}

#[tokio::test]
async fn worker_continues_replays_in_turn() {
    let world = world().await;
    happen(&world, 1..=9).await;
    for number in 1..=4 {
        add(&world, &Webhook { enabled: number != 3, ..webhook(&world, number) }).await;
        begin(&world, number, 0, NOW).await;
    }
    walk(&world, 2, 5).await;
    let mut tx = world.begin().await;
    assert!(tx.webhooks().delete(world.organization_id(), webhook_id(4)).await.unwrap());
    tx.commit().await.unwrap();
    let turn = Some((world.organization_id(), webhook_id(1)));
    assert_eq!(next(&world, 5).await, turn, "five wait for the second, the third is disabled, the fourth is deleted");
    world.database.execute(&format!("UPDATE webhook_replays SET walked_at = '{}'", at(NOW))).await;
    world
        .database
        .execute(&format!(
            "UPDATE webhook_replays SET walked_at = '{}' WHERE webhook_id = '{}'",
            at(NOW - 1),
            webhook_id(2).0
        ))
        .await;
    assert_eq!(next(&world, 6).await, Some((world.organization_id(), webhook_id(2))), "it has waited longer");
    // The claim excludes other workers until then.
    let mut first = world.begin().await;
    let chosen = first.replays().next(6, at(NOW)).await.unwrap();
    let mut second = world.begin().await;
    let other = second.replays().next(6, at(NOW)).await.unwrap();
    assert!(chosen.is_some() && other.is_some() && chosen != other, "{chosen:?} {other:?}");
    let gone = "DO $$ BEGIN ASSERT (SELECT count(*) FROM webhook_replays) = 3; END $$";
    drop((first, second));
    world.database.execute(gone).await;
}
