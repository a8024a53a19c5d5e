use std::collections::BTreeSet;

use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{
    EncryptedSecrets, EventType, Inbox, InboxId, PodId, PreviousSecret, Reach, Webhook, WebhookAttempt, WebhookId,
    WebhookTargets,
};
use inboxd_core::ports::{AccountReads, AttemptQuery, AttemptResult, WebhookReads, WebhookScope};
use uuid::Uuid;

use crate::support::*;

fn id(number: u128) -> WebhookId {
    Uuid::from_u128(number).into()
}

fn pod_id(number: u128) -> PodId {
    Uuid::from_u128(number).into()
}

pub(super) fn webhook(world: &World, number: u128, millis: i64) -> Webhook {
    Webhook {
        organization_id: world.organization_id(),
        webhook_id: id(number),
        place: Reach::Organization,
        url: format!("https://hooks.example.org/{number}"),
        event_types: vec![EventType::MessageSent, EventType::MessageReceived],
        trust: Vec::new(),
        selection: None,
        enabled: true,
        header_names: Vec::new(),
        client_id: None,
        failing_since: None,
        last_failed_at: None,
        created_at: at(millis),
        updated_at: at(millis),
    }
}

fn sealed() -> EncryptedSecrets {
    EncryptedSecrets { secret: vec![1, 2, 3], previous: Vec::new(), headers: None }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "a webhook without a selection is what is told from one with an empty one"
)]
fn listening_to(pods: &[PodId], inboxes: &[&InboxId]) -> Option<WebhookTargets> {
    let inbox_ids = inboxes.iter().map(|inbox| (*inbox).clone()).collect();
    Some(WebhookTargets { pod_ids: pods.to_vec(), inbox_ids })
}

pub(super) async fn add(world: &World, webhook: &Webhook) {
    let mut tx = world.begin().await;
    tx.webhooks().insert(webhook, &sealed()).await.unwrap();
    tx.commit().await.unwrap();
}

async fn read(world: &World, number: u128) -> Option<Webhook> {
    world.store.webhook(world.organization_id(), id(number)).await.unwrap()
}

#[tokio::test]
async fn webhook_survives_round_trip_within_its_organization() {
    let world = world().await;
    let in_inbox = Reach::Inbox { pod_id: world.inbox.pod_id, inbox_id: world.inbox_id().clone() };
    let stored = [
        webhook(&world, 1, 1),
        Webhook {
            place: Reach::Pod(world.inbox.pod_id),
            selection: listening_to(&[pod_id(8), pod_id(7)], &[world.inbox_id()]),
            client_id: Some("mine".to_owned()),
            ..webhook(&world, 2, 2)
        },
        Webhook { place: in_inbox, selection: listening_to(&[], &[]), enabled: false, ..webhook(&world, 3, 3) },
    ];
    for webhook in &stored {
        add(&world, webhook).await;
        assert_eq!(
            world.store.webhook(webhook.organization_id, webhook.webhook_id).await.unwrap(),
            Some(webhook.clone())
        );
        let foreign = Uuid::from_u128(2).into();
        assert_eq!(world.store.webhook(foreign, webhook.webhook_id).await.unwrap(), None);
    }
    let mut tx = world.begin().await;
    assert_eq!(tx.webhooks().count(world.organization_id()).await.unwrap(), 3);
    assert_eq!(tx.webhooks().count(Uuid::from_u128(2).into()).await.unwrap(), 0);
    drop(tx);
    assert_eq!(world.store.overview(world.organization_id()).await.unwrap().unwrap().webhook_count, 3);
}

#[tokio::test]
async fn changed_fields_and_encrypted_values_are_stored() {
    let world = world().await;
    add(&world, &webhook(&world, 1, 1)).await;
    add(&world, &webhook(&world, 2, 1)).await;
    let changed = Webhook {
        event_types: vec![EventType::DomainVerified],
        selection: listening_to(&[pod_id(7)], &[]),
        enabled: false,
        header_names: vec!["X-A".to_owned(), "X-B".to_owned()],
        failing_since: Some(at(5)),
        last_failed_at: Some(at(6)),
        updated_at: at(9),
        ..webhook(&world, 1, 1)
    };
    let previous = |byte: u8, until| PreviousSecret { secret: vec![byte; 40], until: at(until) };
    let resealed = EncryptedSecrets {
        secret: vec![9; 40],
        previous: vec![previous(8, 100), previous(7, 50)],
        headers: Some(vec![6]),
    };
    let mut tx = world.begin().await;
    assert_eq!(
        tx.webhooks().lock(world.organization_id(), id(1)).await.unwrap(),
        Some((webhook(&world, 1, 1), sealed()))
    );
    tx.webhooks().update(&changed, &resealed).await.unwrap();
    assert_eq!(tx.webhooks().lock(world.organization_id(), id(1)).await.unwrap(), Some((changed.clone(), resealed)));
    tx.commit().await.unwrap();
    assert_eq!(read(&world, 1).await, Some(changed.clone()));
    assert_eq!(read(&world, 2).await, Some(webhook(&world, 2, 1)), "the other one is unchanged");

    // Every optional value can be cleared.
    let back = Webhook { updated_at: at(10), ..webhook(&world, 1, 1) };
    let mut tx = world.begin().await;
    tx.webhooks().update(&back, &sealed()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(read(&world, 1).await, Some(back));
}

#[tokio::test]
async fn lock_of_webhook_is_waited_for() {
    let world = world().await;
    add(&world, &webhook(&world, 1, 1)).await;
    let mut first = world.begin().await;
    let (found, sealed) = first.webhooks().lock(world.organization_id(), id(1)).await.unwrap().unwrap();
    let (organization_id, store) = (world.organization_id(), world.store.clone());
    let second = tokio::spawn(async move {
        let mut tx = inboxd_core::ports::Store::begin(&store).await.unwrap();
        tx.webhooks().lock(organization_id, id(1)).await.unwrap().map(|(webhook, _)| webhook.enabled)
    });
    world.until_one_waits().await;
    first.webhooks().update(&Webhook { enabled: false, ..found }, &sealed).await.unwrap();
    first.commit().await.unwrap();
    assert_eq!(second.await.unwrap(), Some(false));
}

#[tokio::test]
async fn missing_webhook_is_neither_locked_nor_changed_nor_deleted() {
    let world = world().await;
    add(&world, &webhook(&world, 1, 1)).await;
    let foreign = Uuid::from_u128(2).into();
    let mut tx = world.begin().await;
    assert_eq!(tx.webhooks().lock(foreign, id(1)).await.unwrap(), None);
    assert!(!tx.webhooks().delete(foreign, id(1)).await.unwrap());
    assert!(
        tx.webhooks().update(&Webhook { organization_id: foreign, ..webhook(&world, 1, 1) }, &sealed()).await.is_err()
    );
    drop(tx);
    let mut tx = world.begin().await;
    assert!(tx.webhooks().delete(world.organization_id(), id(1)).await.unwrap());
    assert!(!tx.webhooks().delete(world.organization_id(), id(1)).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(read(&world, 1).await, None);
}

#[tokio::test]
async fn webhooks_are_listed_by_time_and_id_in_both_directions() {
    let world = world().await;
    for (number, millis) in [(7, 5), (6, 5), (8, 3)] {
        add(&world, &webhook(&world, number, millis)).await;
    }
    let scope = WebhookScope { organization_id: world.organization_id(), pod_id: None, inbox_id: None, among: None };
    for (direction, expected) in [(Direction::Descending, [7, 6, 8]), (Direction::Ascending, [8, 6, 7])] {
        let mut found = Vec::new();
        let mut after = None;
        loop {
            let page = world.store.list_webhooks(&scope, &PageRequest { limit: 1, after, direction }).await.unwrap();
            found.extend(page.items.iter().map(|webhook| webhook.webhook_id.0.as_u128()));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn webhook_list_is_limited_to_scope() {
    let world = world().await;
    let (pod, other) = (world.inbox.pod_id, inbox(&world.organization, "other@agents.example"));
    add_inbox(&world.store, &other).await;
    add_pod(&world, pod_id(77)).await;
    let in_inbox = |inbox: &Inbox| Reach::Inbox { pod_id: inbox.pod_id, inbox_id: inbox.inbox_id.clone() };
    for (number, place) in [
        (1, Reach::Organization),
        (2, Reach::Pod(pod)),
        (3, in_inbox(&world.inbox)),
        (4, in_inbox(&other)),
        (5, Reach::Pod(pod_id(77))),
    ] {
        add(&world, &Webhook { place, ..webhook(&world, number, 1) }).await;
    }
    let all = WebhookScope { organization_id: world.organization_id(), pod_id: None, inbox_id: None, among: None };
    let among = |inboxes: &[&Inbox]| Some(inboxes.iter().map(|inbox| inbox.inbox_id.clone()).collect::<BTreeSet<_>>());
    for (scope, expected) in [
        (all.clone(), vec![5, 4, 3, 2, 1]),
        (WebhookScope { pod_id: Some(pod), ..all.clone() }, vec![4, 3, 2]),
        (WebhookScope { inbox_id: Some(other.inbox_id.clone()), ..all.clone() }, vec![4]),
        (WebhookScope { among: among(&[&world.inbox, &other]), ..all.clone() }, vec![4, 3]),
        (WebhookScope { among: among(&[]), ..all.clone() }, vec![]),
        (WebhookScope { organization_id: Uuid::from_u128(2).into(), ..all }, vec![]),
    ] {
        let page = world.store.list_webhooks(&scope, &PageRequest::default()).await.unwrap();
        let found: Vec<u128> = page.items.iter().map(|webhook| webhook.webhook_id.0.as_u128()).collect();
        assert_eq!(found, expected, "{scope:?}");
    }
}

#[tokio::test]
async fn deleted_inbox_deletes_its_webhooks_and_mutes_filtered_ones() {
    let world = world().await;
    let other = inbox(&world.organization, "other@agents.example");
    add_inbox(&world.store, &other).await;
    let other = other.inbox_id;
    let own = world.inbox_id();
    let of = |inbox_id: &InboxId| Reach::Inbox { pod_id: world.inbox.pod_id, inbox_id: inbox_id.clone() };
    for (number, place, selection) in [
        (1, of(own), None),
        (2, of(&other), None),
        (3, Reach::Organization, listening_to(&[], &[own])),
        (4, Reach::Organization, listening_to(&[pod_id(7)], &[&other, own])),
        (5, Reach::Organization, None),
        (6, Reach::Organization, listening_to(&[], &[&other])),
    ] {
        add(&world, &Webhook { place, selection, ..webhook(&world, number, 1) }).await;
    }
    let mut tx = world.begin().await;
    let deleted = tx.webhooks().leave_inbox(world.organization_id(), own, at(50)).await.unwrap();
    assert_eq!(deleted, [webhook(&world, 1, 1).webhook_id]);
    tx.commit().await.unwrap();
    let mut after = Vec::new();
    for number in 1..=6 {
        after.push(read(&world, number).await.map(|webhook| (webhook.selection, webhook.updated_at)));
    }
    assert_eq!(
        after,
        [
            None,
            Some((None, at(1))),
            Some((listening_to(&[], &[]), at(50))),
            Some((listening_to(&[pod_id(7)], &[&other]), at(50))),
            Some((None, at(1))),
            Some((listening_to(&[], &[&other]), at(1))),
        ]
    );
}

#[tokio::test]
async fn deleted_pod_deletes_its_webhooks_and_those_of_its_inboxes() {
    let world = world().await;
    let (pod, other) = (pod_id(7), pod_id(8));
    add_pod(&world, pod).await;
    add_pod(&world, other).await;
    let in_inbox = Reach::Inbox { pod_id: pod, inbox_id: world.inbox_id().clone() };
    for (number, place, selection) in [
        (1, Reach::Pod(pod), None),
        (2, in_inbox, None),
        (3, Reach::Organization, listening_to(&[pod], &[])),
        (4, Reach::Organization, listening_to(&[other, pod], &[])),
        (5, Reach::Pod(other), None),
    ] {
        add(&world, &Webhook { place, selection, ..webhook(&world, number, 1) }).await;
    }
    let mut tx = world.begin().await;
    let mut deleted = tx.webhooks().leave_pod(world.organization_id(), pod, at(50)).await.unwrap();
    deleted.sort();
    assert_eq!(deleted, [1, 2].map(|number| webhook(&world, number, 1).webhook_id));
    tx.commit().await.unwrap();
    assert_eq!((read(&world, 1).await, read(&world, 2).await), (None, None));
    assert_eq!(read(&world, 3).await.unwrap().selection, listening_to(&[], &[]));
    assert_eq!(read(&world, 4).await.unwrap().selection, listening_to(&[other], &[]));
    assert_eq!(read(&world, 5).await, Some(Webhook { place: Reach::Pod(other), ..webhook(&world, 5, 1) }));
}

#[tokio::test]
async fn attempt_log_is_filtered_and_listed_in_both_directions() {
    let world = world().await;
    let own = Reach::Inbox { pod_id: world.inbox.pod_id, inbox_id: world.inbox_id().clone() };
    add(&world, &Webhook { place: own, ..webhook(&world, 1, 1) }).await;
    add(&world, &webhook(&world, 2, 1)).await;
    let attempt = |number: u128, of: u128, millis: i64, status_code: Option<u16>| WebhookAttempt {
        organization_id: world.organization_id(),
        attempt_id: Uuid::from_u128(number).into(),
        webhook_id: id(of),
        event_id: Uuid::from_u128(100 + number % 2).into(),
        event_type: if number == 5 { EventType::DomainVerified } else { EventType::MessageSent },
        status_code,
        duration_ms: 7,
        response_body: status_code.filter(|status| *status > 299).map(|_| "no".to_owned()),
        error: status_code.is_none().then(|| "no answer".to_owned()),
        attempted_at: at(millis),
        next_attempt_at: status_code.is_none().then(|| at(millis + 5)),
    };
    // The last attempt belongs to a deleted webhook.
    let logged = [
        attempt(1, 1, 10, Some(200)),
        attempt(2, 1, 20, Some(500)),
        attempt(3, 2, 20, None),
        attempt(4, 2, 30, Some(204)),
        attempt(5, 9, 40, Some(302)),
    ];
    let mut tx = world.begin().await;
    tx.deliveries().log(&logged).await.unwrap();
    tx.commit().await.unwrap();
    let all = AttemptQuery {
        scope: WebhookScope { organization_id: world.organization_id(), pod_id: None, inbox_id: None, among: None },
        webhook_id: None,
        event_id: None,
        event_types: Vec::new(),
        result: None,
        status_code: None,
        start: None,
        end: None,
        page: PageRequest::default(),
    };
    let page = world.store.list_attempts(&all).await.unwrap();
    let newest_first: Vec<WebhookAttempt> =
        [4, 3, 2, 1, 0].into_iter().map(|place: usize| logged[place].clone()).collect();
    assert_eq!(page.items, newest_first);
    let scoped = |scope| AttemptQuery { scope, ..all.clone() };
    let scope = &all.scope;
    let pod = WebhookScope { pod_id: Some(world.inbox.pod_id), ..scope.clone() };
    let inbox = WebhookScope { inbox_id: Some(world.inbox_id().clone()), ..scope.clone() };
    let among = WebhookScope { among: Some(BTreeSet::from([world.inbox_id().clone()])), ..scope.clone() };
    let nobody = WebhookScope { among: Some(BTreeSet::new()), ..scope.clone() };
    let foreign = WebhookScope { organization_id: Uuid::from_u128(2).into(), ..scope.clone() };
    for (query, expected) in [
        (scoped(pod), vec![2, 1]),
        (scoped(inbox.clone()), vec![2, 1]),
        (scoped(among), vec![2, 1]),
        (scoped(nobody), vec![]),
        (scoped(foreign), vec![]),
        (AttemptQuery { webhook_id: Some(id(2)), ..all.clone() }, vec![4, 3]),
        (AttemptQuery { webhook_id: Some(id(2)), ..scoped(inbox.clone()) }, vec![]),
        (AttemptQuery { event_id: Some(Uuid::from_u128(100).into()), ..all.clone() }, vec![4, 2]),
        (AttemptQuery { event_types: vec![EventType::DomainVerified], ..all.clone() }, vec![5]),
        (AttemptQuery { result: Some(AttemptResult::Succeeded), ..all.clone() }, vec![4, 1]),
        (AttemptQuery { result: Some(AttemptResult::Failed), ..all.clone() }, vec![5, 3, 2]),
        (AttemptQuery { status_code: Some(500), ..all.clone() }, vec![2]),
        (AttemptQuery { start: Some(at(20)), end: Some(at(40)), ..all.clone() }, vec![4, 3, 2]),
        (AttemptQuery { result: Some(AttemptResult::Failed), ..scoped(inbox) }, vec![2]),
    ] {
        for direction in [Direction::Descending, Direction::Ascending] {
            let (mut found, mut after) = (Vec::new(), None);
            loop {
                let page = PageRequest { limit: 1, after, direction };
                let page = world.store.list_attempts(&AttemptQuery { page, ..query.clone() }).await.unwrap();
                found.extend(page.items.iter().map(|attempt| attempt.attempt_id.0.as_u128()));
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            if direction == Direction::Ascending {
                found.reverse();
            }
            assert_eq!(found, expected, "{query:?}");
        }
    }
}
