//! Event positions, assigned at commit or later.

use super::*;

#[tokio::test]
async fn event_has_position_after_sequencing() {
    let world = world().await;
    append_unplaced(&world, event(&world, 1)).await;
    let page = world.store.read_feed(&behind(&world, FeedPosition::START)).await.unwrap();
    assert_eq!((ids(&page), page.place, page.is_end), (vec![], FeedPosition::START, true));
    assert_eq!(world.store.unsequenced(10).await.unwrap(), [world.organization_id()]);
    let [sequenced] = world.store.sequence(&[world.organization_id()], at(0)).await.unwrap().try_into().unwrap();
    assert_eq!(sequence(&world.store, world.organization_id()).await, 0, "no event is pending");
    let page = world.store.read_feed(&behind(&world, FeedPosition::START)).await.unwrap();
    assert_eq!((ids(&page), page.place.position, page.is_end), (vec![1], 1, true));
    let key =
        EventKey { organization_id: world.organization_id(), created_at: at(1), event_id: Uuid::from_u128(1).into() };
    assert_eq!(sequenced.placed, [Placed { place: page.place, event: key }], "the sequencer knows it");
    assert!(!sequenced.has_deliveries && !sequenced.is_more);
    let event_id = EventId::from(Uuid::from_u128(1));
    assert_eq!(world.store.feed_place(world.organization_id(), event_id).await.unwrap(), Some(page.place));
    let heads = world.store.feed_heads(&[world.organization_id()]).await.unwrap();
    assert_eq!(heads, [(world.organization_id(), page.place)]);
    let stranger = OrganizationId(Uuid::from_u128(99));
    assert_eq!(world.store.feed_place(stranger, event_id).await.unwrap(), None);
    assert_eq!(world.store.read_feed(&behind(&world, page.place)).await.unwrap().place, page.place);
}

async fn in_feed(world: &World) -> Vec<u128> {
    ids(&world.store.read_feed(&behind(world, FeedPosition::START)).await.unwrap())
}

#[tokio::test]
async fn events_have_positions_at_commit() {
    let world = world().await;
    let organization_id = world.organization_id();
    for number in 1..=4 {
        if number % 2 == 0 {
            append(&world.store, event(&world, number)).await;
        } else {
            world.begin().await.commit_with(&with(event(&world, number))).await.unwrap();
        }
        let place = world.store.feed_heads(&[organization_id]).await.unwrap()[0].1;
        assert_eq!((place.position, place.at), (number, at(number)));
        let event_id = Uuid::from_u128(u128::try_from(number).unwrap()).into();
        let placed = vec![Placed { place, event: EventKey { organization_id, created_at: at(number), event_id } }];
        let placed = vec![Sequenced { organization_id, placed, has_deliveries: false, is_more: false }];
        assert_eq!(world.store.committed().await, CommittedChanges { signals: BTreeSet::new(), placed });
    }
    assert_eq!(in_feed(&world).await, [1, 2, 3, 4]);
    assert!(world.store.unsequenced(1).await.unwrap().is_empty());
    // The time of an event is never before that of its predecessor.
    world.begin().await.commit_with(&with(Event { created_at: at(1), ..event(&world, 5) })).await.unwrap();
    assert_eq!(world.store.feed_heads(&[organization_id]).await.unwrap()[0].1, FeedPosition { at: at(4), position: 5 });
}

#[tokio::test]
async fn commit_sequences_pending_events_too() {
    let world = world().await;
    append_unplaced(&world, event(&world, 2)).await;
    let committed = world.store.committed().await;
    assert_eq!(
        committed,
        CommittedChanges { signals: BTreeSet::from([Signal::Feed(world.organization_id())]), placed: vec![] }
    );
    append(&world.store, event(&world, 1)).await;
    assert_eq!(in_feed(&world).await, [2, 1], "a pending event may precede the other one causally");
    let committed = world.store.committed().await;
    let positions: Vec<_> = committed.placed.iter().flat_map(|one| &one.placed).map(|one| one.place.position).collect();
    assert_eq!((committed.signals, positions), (BTreeSet::new(), vec![1, 2]));
    assert!(world.store.unsequenced(1).await.unwrap().is_empty());
}

#[tokio::test]
async fn event_waits_behind_many_pending_events() {
    let world = world().await;
    for (number, waiting, placed) in [(1000, 2..=33, 33), (2000, 1001..=1033, 33)] {
        let mut holder = world.hold_heads().await;
        let mut tx = world.begin().await;
        let waiting: Vec<Event> = waiting.map(|number| event(&world, number)).collect();
        tx.events().append(&waiting).await.unwrap();
        tx.commit().await.unwrap();
        holder.batch_execute("COMMIT").await.unwrap();
        append(&world.store, event(&world, number)).await;
        let head = world.store.feed_heads(&[world.organization_id()]).await.unwrap()[0].1;
        assert_eq!(head.position, placed);
    }
    let committed = world.store.committed().await;
    assert_eq!(committed.signals, BTreeSet::from([Signal::Feed(world.organization_id())]));
    assert_eq!(sequence(&world.store, world.organization_id()).await, 1);
    assert_eq!(world.store.feed_heads(&[world.organization_id()]).await.unwrap()[0].1.position, 67);
}

#[tokio::test]
async fn events_of_one_unit_of_work_have_their_order() {
    let world = world().await;
    let mut tx = world.begin().await;
    tx.events().append(&[event(&world, 1)]).await.unwrap();
    tx.commit_with(&with(event(&world, 2))).await.unwrap();
    assert_eq!(in_feed(&world).await, [1, 2]);
}

#[tokio::test]
async fn pending_events_of_one_organization_do_not_delay_another() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let mut holder = AsyncPgConnection::establish(&world.database.url()).await.unwrap();
    let hold = format!(
        "BEGIN; SELECT FROM feed_heads WHERE organization_id = '{}' FOR NO KEY UPDATE",
        world.organization_id().0
    );
    holder.batch_execute(&hold).await.unwrap();
    let stranger = Event { organization_id: other.organization_id, ..event(&world, 2) };
    let mail = NewMail { events: vec![event(&world, 1), stranger], ..NewMail::default() };
    world.begin().await.commit_with(&mail).await.unwrap();
    let committed = world.store.committed().await;
    assert_eq!(committed.signals, BTreeSet::from([Signal::Feed(world.organization_id())]));
    let placed: Vec<_> = committed.placed.iter().map(|one| (one.organization_id, one.placed.len())).collect();
    assert_eq!(placed, [(other.organization_id, 1)]);
    holder.batch_execute("COMMIT").await.unwrap();
    assert_eq!(world.store.unsequenced(2).await.unwrap(), [world.organization_id()]);
}

#[tokio::test]
async fn feed_head_is_not_locked_while_waiting_for_other_locks() {
    let world = world().await;
    let change = UsageChange { storage_bytes: 1, messages: 0, threads: 0 };
    let usage = vec![(world.organization_id(), world.inbox_id().clone(), change)];
    let mail = NewMail { usage, ..with(event(&world, 1)) };
    world.begin().await.commit_with(&NewMail { events: vec![], ..mail.clone() }).await.unwrap();
    let mut other = AsyncPgConnection::establish(&world.database.url()).await.unwrap();
    other.batch_execute("BEGIN; SELECT FROM inbox_usage FOR UPDATE").await.unwrap();
    let (store, waits) = (world.store.clone(), mail);
    let waits = tokio::spawn(async move { store.begin().await.unwrap().commit_with(&waits).await });
    world.until_one_waits().await;
    other.batch_execute("SELECT FROM feed_heads FOR UPDATE NOWAIT; COMMIT").await.unwrap();
    waits.await.unwrap().unwrap();
}

/// Runs work in a task that has used its cooperative budget, which tasks share with each other.
async fn after<T>(done: u32, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let both = poll_fn(|context| {
        for _ in 0..done {
            let _ = pin!(consume_budget()).poll(context);
        }
        work.as_mut().poll(context)
    });
    both.await
}

#[tokio::test]
async fn statements_precede_commit_in_task_without_budget() {
    let world = world().await;
    for done in 64..128 {
        let mail = with(event(&world, i64::from(done)));
        after(done, async { world.begin().await.commit_with(&mail).await }).await.unwrap();
    }
}

#[tokio::test]
async fn mail_does_not_wait_for_sequencer() {
    let world = world().await;
    let mut other = world.hold_heads().await;
    world.begin().await.commit_with(&with(event(&world, 1))).await.unwrap();
    other.batch_execute("COMMIT").await.unwrap();
    assert_eq!(in_feed(&world).await, []);
    assert_eq!(world.store.unsequenced(1).await.unwrap(), [world.organization_id()]);
}

#[tokio::test]
async fn late_commit_gets_late_position_and_stalled_unit_of_work_delays_none() {
    let world = world().await;
    let mut stuck = world.begin().await;
    stuck.events().append(&[event(&world, 1)]).await.unwrap();
    append(&world.store, event(&world, 2)).await;
    let first = world.store.read_feed(&behind(&world, FeedPosition::START)).await.unwrap();
    assert_eq!(ids(&first), [2]);
    stuck.commit().await.unwrap();
    assert_eq!(ids(&world.store.read_feed(&behind(&world, first.place)).await.unwrap()), [1]);
}
