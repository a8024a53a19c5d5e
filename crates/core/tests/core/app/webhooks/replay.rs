use inboxd_core::app::webhooks::{Again, Replayed, go_on};
use inboxd_core::model::feed::FeedPosition;
use inboxd_core::model::{Caller, EventId, EventType, Permission, Reach, Scope, Webhook, WebhookTargets};
use inboxd_core::ports::{QueuedEvent, ReplaySpan, Walked};
use inboxd_core::rules::trust::Verdict;
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{Happened, World};
use inboxd_core::{Error, Resource};
use time::{Duration, OffsetDateTime};

use super::{finds, replay};
use crate::app::{paths, permissions, world};

/// An event id of the present.
fn event_id(at: OffsetDateTime) -> EventId {
    let seconds = u64::try_from(at.unix_timestamp()).unwrap();
    uuid::Builder::from_unix_timestamp_millis(seconds * 1_000, &[7; 10]).into_uuid().into()
}

fn sent(event_id: EventId) -> QueuedEvent {
    QueuedEvent {
        organization_id: id(1),
        event_id,
        event_type: EventType::MessageSent,
        verdict: None,
        pod_id: Some(id(2)),
        inbox_id: Some(fixtures::inbox().inbox_id),
        created_at: NOW,
        position: 7,
    }
}

fn one(event_id: EventId) -> Again {
    Again { event_id: Some(event_id.to_string()), since: None }
}

fn since(since: OffsetDateTime) -> Again {
    Again { event_id: None, since: Some(since) }
}

/// An environment with a webhook and a unit of work that locks it.
fn locking(webhook: &Webhook) -> World {
    let mut world = world();
    finds(&mut world, webhook.clone());
    let locked = webhook.clone();
    let tx = world.unit_of_work();
    tx.webhooks.expect_lock().once().return_once(move |_, _| Ok(Some((locked, fixtures::sealed()))));
    world
}

async fn replayed(world: World, again: Again) -> Result<Replayed, Error> {
    replay(&world.app(), &fixtures::caller(), &Scope::Organization, id(50), again).await
}

#[tokio::test]
async fn replayed_event_is_queued_and_worker_woken_after_commit() {
    for is_queued in [true, false] {
        let event_id = event_id(NOW);
        let mut world = locking(&fixtures::webhook());
        world.store.expect_feed_place().returning(|_, _| Ok(Some(FeedPosition::START)));
        let tx = world.last_unit_of_work();
        tx.replays.expect_event().once().returning(|_, event_id| Ok(Some(sent(event_id))));
        tx.replays.expect_queue().once().returning(move |webhook_id, event, now| {
            assert_eq!((webhook_id, event, now), (id(50), &sent(event_id), NOW));
            Ok(is_queued)
        });
        let journal = world.journal.clone();
        let replayed = replayed(world, one(event_id)).await.unwrap();
        assert_eq!(replayed, Replayed { queued: u64::from(is_queued), is_complete: true });
        assert_eq!(journal.entries(), [Happened::Committed, Happened::WokenForWebhooks]);
    }
}

#[tokio::test]
async fn event_outside_subscription_is_refused() {
    let of_inbox = |name: &str| Reach::Inbox { pod_id: id(2), inbox_id: fixtures::inbox_id(name) };
    let deaf = Webhook { selection: Some(WebhookTargets::default()), ..fixtures::webhook() };
    let other_kind = Webhook { event_types: vec![EventType::DomainVerified], ..fixtures::webhook() };
    let picky =
        Webhook { event_types: vec![EventType::MessageReceived], trust: vec![Verdict::Trusted], ..fixtures::webhook() };
    let elsewhere = Webhook { place: of_inbox("other@inboxd.example"), ..fixtures::webhook() };
    for (webhook, is_there) in [(deaf, true), (other_kind, true), (picky, true), (elsewhere, false)] {
        let mut world = locking(&webhook);
        world.store.expect_feed_place().returning(|_, _| Ok(Some(FeedPosition::START)));
        let tx = world.last_unit_of_work();
        tx.replays.expect_event().once().returning(|_, event_id| Ok(Some(sent(event_id))));
        match replayed(world, one(event_id(NOW))).await.unwrap_err() {
            Error::NotFound { resource: Resource::Event, .. } => assert!(!is_there),
            refusal => assert!(is_there && paths(refusal) == ["event_id"]),
        }
    }
}

#[tokio::test]
async fn missing_or_expired_event_is_refused() {
    let with_webhook = || {
        let mut world = world();
        finds(&mut world, fixtures::webhook());
        world
    };
    let mut without_event = with_webhook();
    without_event.store.expect_feed_place().returning(|_, _| Ok(None));
    without_event.store.expect_sequence().returning(|_, _| Ok(Vec::new()));
    let refusal = replayed(without_event, one(event_id(NOW))).await.unwrap_err();
    assert!(matches!(refusal, Error::NotFound { resource: Resource::Event, .. }), "{refusal:?}");
    let nonsense = Again { event_id: Some("nonsense".to_owned()), since: None };
    let refusal = replayed(with_webhook(), nonsense).await.unwrap_err();
    assert!(matches!(refusal, Error::NotFound { resource: Resource::Event, .. }), "{refusal:?}");
    let old = NOW - Duration::days(366);
    let refusal = replayed(with_webhook(), one(event_id(old))).await.unwrap_err();
    assert!(matches!(refusal, Error::CursorExpired { .. }), "{refusal:?}");
    let refusal = replayed(with_webhook(), since(old)).await.unwrap_err();
    let kept = NOW - Duration::days(365);
    assert!(matches!(refusal, Error::ReplayTooOld(kept_since) if kept_since == kept), "{refusal:?}");
}

#[tokio::test]
async fn replay_since_time_queues_first_batch_and_returns_completion() {
    for is_end in [true, false] {
        let from = NOW - Duration::hours(1);
        let mut world = locking(&fixtures::webhook());
        let tx = world.last_unit_of_work();
        tx.replays.expect_begin().once().returning(move |span| {
            assert_eq!(*span, ReplaySpan { organization_id: id(1), webhook_id: id(50), since: from, until: NOW });
            Ok(())
        });
        tx.replays.expect_walk().once().returning(move |_, webhook_id, _, limit| {
            assert_eq!((webhook_id, limit), (id(50), 2_000));
            Ok(Walked { queued: 9, is_end })
        });
        assert_eq!(replayed(world, since(from)).await.unwrap(), Replayed { queued: 9, is_complete: is_end });
    }
}

#[tokio::test]
async fn replay_of_disabled_webhook_is_refused() {
    let disabled = Webhook { enabled: false, ..fixtures::webhook() };
    let mut seen = world();
    finds(&mut seen, disabled.clone());
    // It may be disabled between the read and the lock.
    let mut meanwhile = world();
    finds(&mut meanwhile, fixtures::webhook());
    let tx = meanwhile.unit_of_work();
    tx.webhooks.expect_lock().once().return_once(move |_, _| Ok(Some((disabled, fixtures::sealed()))));
    for world in [seen, meanwhile] {
        let refusal = replayed(world, since(NOW)).await.unwrap_err();
        assert!(matches!(refusal, Error::WebhookDisabled(webhook_id) if webhook_id == id(50)), "{refusal:?}");
    }
}

#[tokio::test]
async fn replay_needs_update_permission_and_event_or_time() {
    let app = World::default().app();
    let reader = Caller { permissions: permissions(&["webhook_read"]), ..fixtures::caller() };
    let refusal = replay(&app, &reader, &Scope::Organization, id(50), since(NOW)).await.unwrap_err();
    assert!(matches!(refusal, Error::MissingPermission(Permission::WebhookUpdate)));
    let both = Again { since: Some(NOW), ..one(event_id(NOW)) };
    for again in [Again::default(), both] {
        let refusal = replay(&app, &fixtures::caller(), &Scope::Organization, id(50), again).await.unwrap_err();
        assert_eq!(paths(refusal), ["event_id"]);
    }
}

#[tokio::test]
async fn worker_continues_replay_in_batches() {
    for (chosen, queued, woken) in [(false, 0, 0), (true, 0, 0), (true, 5, 1)] {
        let mut world = World::default();
        let tx = world.unit_of_work();
        tx.replays.expect_next().once().returning(move |most, _| {
            assert_eq!(most, 10_000);
            Ok(chosen.then(|| (id(1), id(50))))
        });
        tx.replays
            .expect_walk()
            .times(usize::from(chosen))
            .returning(move |_, _, _, _| Ok(Walked { queued, is_end: false }));
        let journal = world.journal.clone();
        assert_eq!(go_on(&world.app()).await.unwrap(), chosen);
        let wakes = journal.entries().into_iter().filter(|happened| *happened == Happened::WokenForWebhooks);
        assert_eq!((journal.commits(), wakes.count()), (usize::from(chosen), woken));
    }
}
