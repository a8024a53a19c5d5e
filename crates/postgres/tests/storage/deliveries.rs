use diesel_async::SimpleAsyncConnection;
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::{
    Event, EventBody, EventId, EventType, InboxId, MessageBody, OrganizationId, PodId, Reach, Sealed, Selection,
    Webhook, WebhookAttempt, WebhookDelivery, WebhookId,
};
use inboxd_core::ports::{
    DeliveryClaim, DeliveryReads, EventKey, FailureRun, FeedReads, Settlement, WebhookReads, WholeEvent,
};
use inboxd_core::rules::webhooks::failing::Failing;
use inboxd_core::rules::webhooks::truncation::Part;
use inboxd_postgres::{PgStore, connect};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::support::*;
use crate::walks::rows_read;

fn webhook_id(number: u128) -> WebhookId {
    Uuid::from_u128(number).into()
}

/// An enabled webhook that hears of all mail that comes in.
fn webhook(organization_id: OrganizationId, number: u128) -> Webhook {
    Webhook {
        organization_id,
        webhook_id: webhook_id(number),
        place: Reach::Organization,
        url: "https://agent.example/hook".to_owned(),
        event_types: vec![EventType::MessageReceived],
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
    let sealed = Sealed { secret: vec![7; 40], previous: vec![], headers: None };
    let mut tx = world.begin().await;
    tx.webhooks().insert(webhook, &sealed).await.unwrap();
    tx.commit().await.unwrap();
}

/// Stores an enabled webhook.
async fn add_webhook(world: &World, number: u128) -> WebhookId {
    store_webhook(world, &webhook(world.organization_id(), number)).await;
    webhook_id(number)
}

/// Queues events of these positions for a webhook; the event's id is its position.
async fn queue(world: &World, webhook: WebhookId, positions: impl IntoIterator<Item = u32>) {
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

/// A claim at this time, of at most so many, a second long.
fn claim_of(now: i64, limit: u32) -> DeliveryClaim {
    DeliveryClaim {
        claim_id: Uuid::from_u128(u128::from(now.unsigned_abs()) << 32 | u128::from(limit)),
        now: at(now),
        until: at(now + 1_000),
        limit,
        failing: limit,
        per_webhook: 8,
    }
}

async fn claim(world: &World, claim: DeliveryClaim) -> Vec<WebhookDelivery> {
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

#[tokio::test]
async fn a_claimed_delivery_is_whole_and_nobody_elses_until_the_claim_runs_out() {
    let world = world().await;
    let webhook = add_webhook(&world, 1).await;
    queue(&world, webhook, [5]).await;
    let first = claim(&world, claim_of(100, 10)).await;
    let delivery = WebhookDelivery {
        organization_id: world.organization_id(),
        webhook_id: webhook,
        event_id: Uuid::from_u128(5).into(),
        event_type: EventType::MessageReceived,
        event_created_at: at(5),
        position: 5,
        failed: 0,
        claim_id: claim_of(100, 10).claim_id,
        is_failing: false,
    };
    assert_eq!(first, std::slice::from_ref(&delivery));
    assert_eq!(claim(&world, claim_of(1_099, 10)).await, []);
    let second = claim(&world, claim_of(1_100, 10)).await;
    assert_eq!(second, [WebhookDelivery { claim_id: claim_of(1_100, 10).claim_id, ..delivery }]);
    // Whoever had it first has it no more.
    settle(&world, &[settlement(&first[0], None)]).await;
    settle(&world, &[settlement(&first[0], Some(at(1_101)))]).await;
    assert_eq!(claim(&world, claim_of(1_200, 10)).await, []);
    settle(&world, &[settlement(&second[0], None)]).await;
    assert_eq!(claim(&world, claim_of(9_000, 10)).await, [], "it has left the queue");
}

#[tokio::test]
async fn new_deliveries_begin_in_the_order_of_the_feed_eight_at_a_time() {
    let world = world().await;
    let webhook = add_webhook(&world, 1).await;
    queue(&world, webhook, (1..=20).rev()).await;
    let first = claim(&world, claim_of(100, 100)).await;
    assert_eq!(positions(&first), (1..=8).collect::<Vec<_>>());
    assert_eq!(claim(&world, claim_of(101, 100)).await, [], "all eight are in somebody's hands");
    settle(&world, &[settlement(&first[4], None), settlement(&first[1], None)]).await;
    assert_eq!(positions(&claim(&world, claim_of(102, 100)).await), [9, 10]);
}

#[tokio::test]
async fn what_failed_comes_back_at_its_time_and_new_events_do_not_wait_behind_it() {
    let world = world().await;
    let webhook = add_webhook(&world, 1).await;
    queue(&world, webhook, 1..=8).await;
    let first = claim(&world, claim_of(100, 100)).await;
    let again: Vec<_> = first.iter().map(|delivery| settlement(delivery, Some(at(500 - delivery.position)))).collect();
    settle(&world, &again).await;
    assert_eq!(claim(&world, claim_of(491, 100)).await, [], "none is due");
    let due = claim(&world, claim_of(493, 100)).await;
    assert_eq!(positions(&due), [8, 7], "what is due goes by its time");
    assert!(due.iter().all(|delivery| delivery.failed == 1));
    settle(&world, &due.iter().map(|delivery| settlement(delivery, None)).collect::<Vec<_>>()).await;

    queue(&world, webhook, 11..=30).await;
    let claimed = claim(&world, claim_of(600, 100)).await;
    let mut found = positions(&claimed);
    assert_eq!(found[..3], [11, 12, 13]);
    found.sort_unstable();
    assert_eq!(found, [6, 11, 12, 13, 14, 15, 16, 17], "one that failed comes along with every few new ones");
}

#[tokio::test]
async fn a_failing_webhook_has_one_delivery_at_a_time_and_not_all_the_room() {
    let world = world().await;
    let (dead, alive) = (add_webhook(&world, 1).await, add_webhook(&world, 2).await);
    let failing: Vec<WebhookId> = [add_webhook(&world, 3).await, add_webhook(&world, 4).await, dead].into();
    world
        .database
        .execute(&format!("UPDATE webhooks SET failing_since = '{}' WHERE webhook_id <> '{}'", at(1), alive.0))
        .await;
    for webhook in failing.iter().copied().chain([alive]) {
        queue(&world, webhook, 1..=20).await;
    }
    let claimed = claim(&world, DeliveryClaim { failing: 2, ..claim_of(100, 100) }).await;
    assert_eq!(of(&claimed, alive), (1..=8).collect::<Vec<_>>());
    let slow: Vec<_> = claimed.iter().filter(|delivery| delivery.is_failing).collect();
    assert_eq!(slow.len(), 2);
    assert!(slow.iter().all(|delivery| delivery.position == 1 && failing.contains(&delivery.webhook_id)));
    let claimed = claim(&world, claim_of(101, 100)).await;
    assert_eq!(positions(&claimed), [1], "the third of them; the others have one in hand");
}

#[tokio::test]
async fn where_there_is_not_room_for_all_every_webhook_gets_a_turn() {
    let world = world().await;
    let mut webhooks = Vec::new();
    for number in 1..=5 {
        webhooks.push(add_webhook(&world, number).await);
    }
    for webhook in &webhooks {
        queue(&world, *webhook, 1..=10).await;
    }
    // One has nothing but what failed before.
    let had = claim(&world, claim_of(100, 100)).await;
    let had: Vec<_> = had.iter().filter(|delivery| delivery.webhook_id == webhooks[0]).collect();
    world
        .database
        .execute(&format!("DELETE FROM webhook_deliveries WHERE webhook_id = '{}' AND claim_id IS NULL", webhooks[0].0))
        .await;
    settle(&world, &had.iter().map(|delivery| settlement(delivery, Some(at(200)))).collect::<Vec<_>>()).await;
    let claimed = claim(&world, claim_of(2_000, 7)).await;
    assert_eq!(claimed.len(), 7);
    for webhook in webhooks {
        assert!((1..=2).contains(&of(&claimed, webhook).len()), "{claimed:?}");
    }
}

#[tokio::test]
async fn a_disabled_webhook_waits_and_one_that_is_gone_is_forgotten() {
    let world = world().await;
    let (disabled, gone) = (add_webhook(&world, 1).await, webhook_id(2));
    let alive = add_webhook(&world, 3).await;
    for webhook in [disabled, gone, alive] {
        queue(&world, webhook, 1..=3).await;
    }
    let enable = |enabled: bool| format!("UPDATE webhooks SET enabled = {enabled} WHERE webhook_id = '{}'", disabled.0);
    world.database.execute(&enable(false)).await;
    let claimed = claim(&world, claim_of(100, 100)).await;
    assert_eq!((of(&claimed, alive), claimed.len()), (vec![1, 2, 3], 3));

    let nothing_is_old = EventId::from(Uuid::nil());
    let mut tx = world.begin().await;
    assert_eq!(tx.deliveries().purge(nothing_is_old, 2).await, Ok(2));
    assert_eq!(tx.deliveries().purge(nothing_is_old, 2).await, Ok(1));
    assert_eq!(tx.deliveries().purge(nothing_is_old, 2).await, Ok(0), "what waits for a disabled webhook stays");
    tx.commit().await.unwrap();
    world.database.execute(&enable(true)).await;
    assert_eq!(positions(&claim(&world, claim_of(101, 100)).await), [1, 2, 3]);
}

#[tokio::test]
async fn what_is_older_than_events_are_kept_is_forgotten_also_for_a_disabled_webhook() {
    let world = world().await;
    let webhook = add_webhook(&world, 1).await;
    world.database.execute("UPDATE webhooks SET enabled = false").await;
    queue(&world, webhook, 1..=5).await;
    let mut tx = world.begin().await;
    assert_eq!(tx.deliveries().purge(Uuid::from_u128(4).into(), 100).await, Ok(3));
    tx.commit().await.unwrap();
    world.database.execute("UPDATE webhooks SET enabled = true").await;
    assert_eq!(positions(&claim(&world, claim_of(101, 100)).await), [4, 5]);
}

#[tokio::test]
async fn claims_that_race_share_nothing_and_keep_the_order() {
    let world = world().await;
    let webhooks = [add_webhook(&world, 1).await, add_webhook(&world, 2).await];
    for webhook in webhooks {
        queue(&world, webhook, 1..=60).await;
    }
    let store = connect(&world.database.url(), 8).await.unwrap();
    let mut found: Vec<Vec<i64>> = vec![Vec::new(); 2];
    for round in 0_u32.. {
        let racing = (0..6).map(|racer| {
            let store: PgStore = store.clone();
            tokio::spawn(async move {
                let claim =
                    DeliveryClaim { claim_id: Uuid::from_u128(u128::from(round * 10 + racer)), ..claim_of(100, 100) };
                store.claim_deliveries(&claim).await.unwrap()
            })
        });
        let mut claimed = Vec::new();
        for racer in racing.collect::<Vec<_>>() {
            claimed.extend(racer.await.unwrap());
        }
        if claimed.is_empty() {
            break;
        }
        for (webhook, found) in webhooks.iter().zip(&mut found) {
            let mut positions = of(&claimed, *webhook);
            assert!(positions.len() <= 8, "{positions:?}");
            positions.sort_unstable();
            found.extend(positions);
        }
        settle(&world, &claimed.iter().map(|delivery| settlement(delivery, None)).collect::<Vec<_>>()).await;
    }
    assert_eq!(found, vec![(1..=60).collect::<Vec<i64>>(); 2]);
}

#[tokio::test]
async fn a_dead_webhook_with_much_to_do_costs_the_others_nothing() {
    let world = world().await;
    let (dead, alive) = (add_webhook(&world, 1).await, add_webhook(&world, 2).await);
    let load = format!(
        "INSERT INTO webhook_deliveries
        SELECT '{0}', '{1}', md5(n::text)::uuid, 'message.received', '{2}', n, n % 3, '{2}', NULL
        FROM generate_series(1, 60000) n;
        INSERT INTO webhook_deliveries
        SELECT '{0}', '00000000-0000-0000-0000-{3:012}', md5(n::text)::uuid, 'message.received', '{2}', n, 1, '{4}', NULL
        FROM generate_series(1, 60000) n;
        UPDATE webhooks SET failing_since = '{2}' WHERE webhook_id = '{1}';
        ANALYZE;
        DO $$ BEGIN
            EXECUTE format('ALTER DATABASE %I SET plan_cache_mode = force_generic_plan', current_database());
        END $$;",
        world.organization_id().0, dead.0, at(1), 2, at(1_000_000),
    );
    world.database.execute(&load).await;
    queue(&world, alive, 1..=2).await;
    let read = rows_read(&world, async |store| {
        let claimed = store.claim_deliveries(&claim_of(100, 100)).await.unwrap();
        assert_eq!((of(&claimed, alive), of(&claimed, dead).len()), (vec![1, 2], 1));
    });
    let read = read.await;
    assert!(read <= 80, "{read} rows were read to claim three");
}

fn attempt(
    organization_id: OrganizationId,
    webhook_id: WebhookId,
    number: u128,
    status: Option<u16>,
) -> WebhookAttempt {
    WebhookAttempt {
        organization_id,
        attempt_id: Uuid::from_u128(number).into(),
        webhook_id,
        event_id: EventId::from(Uuid::from_u128(5)),
        event_type: EventType::MessageReceived,
        status_code: status,
        duration_ms: 12,
        response_body: Some("no\0thing".to_owned()),
        error: status.is_none().then(|| "unreachable".to_owned()),
        attempted_at: at(10),
        next_attempt_at: Some(at(20)),
    }
}

#[tokio::test]
async fn attempts_are_logged_once_however_often_they_are_told() {
    let world = world().await;
    let id = world.organization_id();
    let attempts = [attempt(id, webhook_id(1), 1, Some(500)), attempt(id, webhook_id(1), 2, None)];
    for _ in 0..2 {
        let mut tx = world.begin().await;
        tx.deliveries().log(&attempts).await.unwrap();
        tx.commit().await.unwrap();
    }
    // A division by zero unless the two rows are there as they were told.
    let check = format!(
        "SELECT 1 / (count(*) = 2 AND bool_and(webhook_id = '{}' AND event_type = 'message.received' AND duration_ms = 12
            AND response_body = 'no\u{fffd}thing' AND attempted_at = '{}' AND next_attempt_at = '{}'
            AND (status_code = 500) IS DISTINCT FROM (error = 'unreachable')))::int
        FROM webhook_attempts WHERE organization_id = '{}'",
        webhook_id(1).0, at(10), at(20), id.0
    );
    world.database.execute(&check).await;
}

#[tokio::test]
async fn only_webhooks_that_fail_or_failed_are_locked_and_their_runs_kept() {
    let world = world().await;
    let id = world.organization_id();
    let (healthy, failing, recovering) =
        (add_webhook(&world, 1).await, add_webhook(&world, 2).await, add_webhook(&world, 3).await);
    let run = |webhook_id, run, enabled| FailureRun { organization_id: id, webhook_id, run, enabled };
    let since = |since, last_at| Some(Failing { since: at(since), last_at: at(last_at) });

    let mut tx = world.begin().await;
    let concerned = [(id, healthy, false), (id, failing, true), (id, recovering, false), (id, webhook_id(9), true)];
    let runs = tx.deliveries().lock_runs(&concerned).await.unwrap();
    assert_eq!(runs, [run(failing, None, true)]);
    let changed = [run(failing, since(10, 30), false), run(recovering, since(5, 6), true)];
    tx.deliveries().update_runs(&changed, at(40)).await.unwrap();
    tx.commit().await.unwrap();

    let mut tx = world.begin().await;
    assert_eq!(tx.deliveries().lock_runs(&concerned).await.unwrap(), changed);
    // A success ends a run; when the last failure was stays known.
    tx.deliveries().update_runs(&[run(recovering, None, true)], at(50)).await.unwrap();
    tx.commit().await.unwrap();
    let read = |webhook_id| world.store.webhook(id, webhook_id);
    let webhook = read(failing).await.unwrap().unwrap();
    assert_eq!((webhook.enabled, webhook.failing_since, webhook.updated_at), (false, Some(at(10)), at(40)));
    let webhook = read(recovering).await.unwrap().unwrap();
    assert_eq!((webhook.failing_since, webhook.last_failed_at, webhook.updated_at), (None, Some(at(6)), at(0)));
}

#[tokio::test]
async fn settling_many_is_exact() {
    let world = world().await;
    let webhook = add_webhook(&world, 1).await;
    queue(&world, webhook, 1..=100).await;
    let mut claimed = Vec::new();
    while claimed.len() < 100 {
        let now = i64::try_from(claimed.len()).unwrap();
        claimed.extend(claim(&world, DeliveryClaim { per_webhook: 200, ..claim_of(200 + now, 30) }).await);
    }
    let even = |delivery: &WebhookDelivery| delivery.position % 2 == 0;
    let settlements: Vec<_> =
        claimed.iter().map(|delivery| settlement(delivery, even(delivery).then(|| at(5_000)))).collect();
    settle(&world, &settlements).await;
    let again = claim(&world, DeliveryClaim { per_webhook: 200, ..claim_of(5_000, 200) }).await;
    assert_eq!(positions(&again), (1..=50).map(|n| 2 * n).collect::<Vec<_>>());
    assert!(again.iter().all(|delivery| delivery.failed == 1 && delivery.event_created_at < at(0) + Duration::SECOND));
}

#[tokio::test]
async fn events_are_read_whole_whosever_they_are_but_for_bodies_that_are_too_large() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let theirs = inbox(&other, "theirs@agents.example");
    add_inbox(&world.store, &theirs).await;
    let spam = world.labelled(1, &["received", "spam", "trash"]);
    let mut large = mail(&theirs, 2);
    large.message.body.html = Some("x".repeat(50));
    large.message.body.extracted_text = Some("y".repeat(51));
    large.message.body.headers = vec![("X-Long".to_owned(), "z".repeat(51))];
    for mail in [&spam, &large] {
        deliver(&world.store, mail).await;
    }
    let event = |mail: &inboxd_core::model::NewMessage, inbox: &inboxd_core::model::Inbox, number| Event {
        event_id: Uuid::from_u128(number).into(),
        event_type: EventType::MessageReceived,
        organization_id: inbox.organization_id,
        pod_id: Some(inbox.pod_id),
        inbox_id: Some(inbox.inbox_id.clone()),
        thread_id: Some(mail.message.item.thread_id),
        message_id: Some(mail.message.item.message_id.clone()),
        body: EventBody::Received,
        created_at: at(3),
    };
    let events = [event(&spam, &world.inbox, 1), event(&large, &theirs, 2)];
    let mut tx = world.begin().await;
    tx.events().append(&events).await.unwrap();
    tx.commit().await.unwrap();

    let key = |event: &Event| EventKey {
        organization_id: event.organization_id,
        created_at: event.created_at,
        event_id: event.event_id,
    };
    let mut keys: Vec<EventKey> = events.iter().map(key).collect();
    // Nobody finds an event under another organization.
    keys.push(EventKey { organization_id: other.organization_id, ..keys[0] });
    let mut found = world.store.whole_events(&keys, 50).await.unwrap();
    found.sort_by_key(|event| event.record.event.event_id);
    let [first, second] = found.try_into().unwrap();
    assert_eq!((&first.record.event, first.left_out), (&events[0], vec![]));
    assert_eq!(first.record.mail.unwrap().0, spam.message, "whoever may see it");
    assert_eq!((&second.record.event, second.left_out), (&events[1], vec![Part::ExtractedText, Part::Headers]));
    let (message, thread) = second.record.mail.unwrap();
    let body = MessageBody { extracted_text: None, headers: vec![], ..large.message.body.clone() };
    assert_eq!(message.body, body);
    assert_eq!((thread.organization_id, thread.thread_id), (other.organization_id, large.message.item.thread_id));

    delete_inbox(&world.store, &theirs).await;
    let [second] = world.store.whole_events(&keys[1..2], 50).await.unwrap().try_into().unwrap();
    assert_eq!(second, WholeEvent { record: EventRecord { event: events[1].clone(), mail: None }, left_out: vec![] });
}

#[tokio::test]
async fn webhooks_are_read_with_what_is_sealed_of_them() {
    let world = world().await;
    let (one, other) = (add_webhook(&world, 1).await, add_webhook(&world, 2).await);
    add_webhook(&world, 3).await;
    let id = world.organization_id();
    let foreign = Uuid::from_u128(9).into();
    let asked = [(id, one), (id, other), (id, webhook_id(4)), (foreign, webhook_id(3))];
    let mut found = world.store.receivers(&asked).await.unwrap();
    found.sort_by_key(|(webhook, _)| webhook.webhook_id);
    assert_eq!(found.iter().map(|(webhook, _)| webhook.webhook_id).collect::<Vec<_>>(), [one, other]);
    assert!(found.iter().all(|(_, sealed)| sealed.secret == [7; 40]));
}

#[tokio::test]
async fn an_event_is_queued_for_the_webhooks_that_hear_of_it_when_it_gets_its_place() {
    let world = world().await;
    let (id, pod_id, inbox_id) = (world.organization_id(), world.inbox.pod_id, world.inbox_id().clone());
    let (other_pod, other_inbox) =
        (PodId::from(Uuid::from_u128(77)), InboxId::stored("other@agents.example".to_owned()));
    let foreign = organization(2, "other@example.org");
    add_organization(&world.store, &foreign).await;
    let all = |number| Webhook { event_types: EventType::ALL.to_vec(), ..webhook(id, number) };
    let narrowed = |number, pod_ids: &[PodId], inbox_ids: &[InboxId]| Webhook {
        selection: Some(Selection { pod_ids: pod_ids.to_vec(), inbox_ids: inbox_ids.to_vec() }),
        ..all(number)
    };
    let inbox_place = |inbox_id: &InboxId| Reach::Inbox { pod_id, inbox_id: inbox_id.clone() };
    let (mail, spam, domain) = (1, 2, 3);
    let mut heard = Vec::new();
    for (webhook, expected) in [
        (all(1), vec![mail, spam, domain]),
        (webhook(id, 2), vec![mail]),
        (Webhook { event_types: vec![EventType::MessageReceivedSpam], ..all(3) }, vec![spam]),
        (Webhook { enabled: false, ..all(4) }, vec![]),
        (Webhook { place: Reach::Pod(pod_id), ..all(5) }, vec![mail, spam]),
        (Webhook { place: Reach::Pod(other_pod), ..all(6) }, vec![]),
        (Webhook { place: inbox_place(&inbox_id), ..all(7) }, vec![mail, spam]),
        (Webhook { place: inbox_place(&other_inbox), ..all(8) }, vec![]),
        (narrowed(9, &[], &[]), vec![]),
        (narrowed(10, &[other_pod], std::slice::from_ref(&inbox_id)), vec![mail, spam]),
        (narrowed(11, &[pod_id], std::slice::from_ref(&other_inbox)), vec![mail, spam]),
        (narrowed(12, &[other_pod], std::slice::from_ref(&other_inbox)), vec![]),
        (Webhook { event_types: EventType::ALL.to_vec(), ..webhook(foreign.organization_id, 13) }, vec![]),
    ] {
        store_webhook(&world, &webhook).await;
        heard.push((webhook.webhook_id, expected));
    }
    let about_mail = |number, event_type| Event {
        event_id: Uuid::from_u128(number).into(),
        event_type,
        organization_id: id,
        pod_id: Some(pod_id),
        inbox_id: Some(inbox_id.clone()),
        thread_id: Some(thread_id(1)),
        message_id: Some(message_id("1")),
        body: EventBody::Received,
        created_at: at(1),
    };
    let events = [
        about_mail(1, EventType::MessageReceived),
        about_mail(2, EventType::MessageReceivedSpam),
        Event { pod_id: None, inbox_id: None, ..about_mail(3, EventType::DomainVerified) },
    ];
    let mut holder = world.hold_heads().await;
    let mut tx = world.begin().await;
    tx.events().append(&events).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(claim(&world, claim_of(100, 100)).await, [], "none has its place yet");
    holder.batch_execute("COMMIT").await.unwrap();
    assert_eq!(world.store.sequence(&[id], at(5)).await.unwrap().len(), 1);
    let claimed = claim(&world, claim_of(101, 100)).await;
    for (webhook_id, expected) in heard {
        assert_eq!(of(&claimed, webhook_id), expected, "{webhook_id}");
    }
    let told = claimed.iter().find(|delivery| delivery.position == 2).unwrap();
    assert_eq!(
        (told.event_id, told.event_type, told.event_created_at),
        (events[1].event_id, events[1].event_type, at(1))
    );
}

#[tokio::test]
async fn an_event_that_is_taken_along_is_queued_too() {
    let world = world().await;
    let id = world.organization_id();
    store_webhook(&world, &webhook(id, 1)).await;
    let happens = async |number| {
        let event = Event {
            event_id: Uuid::from_u128(number).into(),
            event_type: EventType::MessageReceived,
            organization_id: id,
            pod_id: Some(world.inbox.pod_id),
            inbox_id: Some(world.inbox_id().clone()),
            thread_id: Some(thread_id(1)),
            message_id: Some(message_id("1")),
            body: EventBody::Received,
            created_at: at(1),
        };
        let mut tx = world.begin().await;
        tx.events().append(&[event]).await.unwrap();
        tx.commit().await.unwrap();
        world.store.committed().await
    };
    let mut holder = world.hold_heads().await;
    assert!(happens(1).await.placed.is_empty());
    holder.batch_execute("COMMIT").await.unwrap();
    let told = happens(2).await;
    assert_eq!(told.placed.iter().map(|one| (one.placed.len(), one.has_deliveries)).collect::<Vec<_>>(), [(2, true)]);
    let positions: Vec<_> = claim(&world, claim_of(100, 100)).await.iter().map(|one| one.position).collect();
    assert_eq!(positions, [1, 2]);
}
