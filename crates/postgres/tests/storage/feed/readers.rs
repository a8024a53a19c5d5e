//! Feed readers.

use super::*;

#[tokio::test]
async fn page_contains_selected_events_and_scan_position() {
    let world = world().await;
    for number in 1..=10 {
        let event_type = if number % 2 == 0 { EventType::MessageSent } else { EventType::MessageBounced };
        append(&world.store, Event { event_type, ..event(&world, number) }).await;
    }
    let even = FeedSelection { event_types: vec![EventType::MessageSent], ..FeedSelection::default() };
    let query = FeedQuery { selection: even, limit: 2, ..behind(&world, FeedPosition::START) };
    let first = world.store.read_feed(&query).await.unwrap();
    assert_eq!((ids(&first), first.place.position, first.is_end), (vec![2, 4], 4, false));
    let second = world.store.read_feed(&FeedQuery { after: first.place, ..query.clone() }).await.unwrap();
    assert_eq!((ids(&second), second.place.position), (vec![6, 8], 8));
    let third = world.store.read_feed(&FeedQuery { after: second.place, ..query.clone() }).await.unwrap();
    assert_eq!((ids(&third), third.place.position, third.is_end), (vec![10], 10, true));
    // Scanning three at a time finds the same events in more steps.
    let narrow = world.store.read_feed(&FeedQuery { most: 3, ..query.clone() }).await.unwrap();
    assert_eq!((ids(&narrow), narrow.place.position, narrow.is_end), (vec![2], 3, false));
    let here = ScopeFilter { pod_ids: vec![], inbox_ids: vec![world.inbox.inbox_id.clone()] };
    let nowhere = ScopeFilter { pod_ids: vec![Uuid::nil().into()], inbox_ids: vec![] };
    for (among, found) in [(vec![here.clone()], 10), (vec![nowhere.clone()], 0), (vec![here, nowhere], 0)] {
        let selection = FeedSelection { among, ..FeedSelection::default() };
        let page =
            world.store.read_feed(&FeedQuery { selection, ..behind(&world, FeedPosition::START) }).await.unwrap();
        assert_eq!((page.events.len(), page.place.position), (found, 10));
    }
    let selection = FeedSelection { start: Some(at(3)), end: Some(at(5)), ..FeedSelection::default() };
    let page = world.store.read_feed(&FeedQuery { selection, ..behind(&world, FeedPosition::START) }).await.unwrap();
    assert_eq!(ids(&page), [3, 4]);
}

/// Every condition in SQL is the rule of the core.
#[tokio::test]
async fn limit_by_verdict_is_that_of_the_rule() {
    let world = world().await;
    let verdicts = || Verdict::ALL.iter().copied().map(Some).chain([None]);
    let mut events = Vec::new();
    for (number, event_type) in (1..).step_by(10).zip(EventType::known()) {
        for (number, verdict) in (number..).zip(verdicts()) {
            let body = EventBody::Received { verdict };
            events.push(Event { event_type, body, ..event(&world, number) });
        }
    }
    for event in &events {
        append(&world.store, event.clone()).await;
    }
    for trust in [vec![], vec![Verdict::Known], vec![Verdict::Trusted, Verdict::Suspicious]] {
        let selection = FeedSelection { trust, ..FeedSelection::default() };
        let query = FeedQuery { selection: selection.clone(), limit: 500, ..behind(&world, FeedPosition::START) };
        let found: Vec<_> = world.store.read_feed(&query).await.unwrap().events;
        let found: Vec<_> = found.into_iter().map(|(_, whole)| whole.record.event.event_id).collect();
        let expected: Vec<_> =
            events.iter().filter(|event| selection.selects(event)).map(|event| event.event_id).collect();
        assert_eq!(found, expected, "{selection:?}");
    }
}

/// Two hundred writers and four sequencers run while readers resume at any position.
///
/// Some writers are slow, some roll back, and some have positions at commit. Each reader has seen exactly the committed
/// events in one order, each once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_resuming_anywhere_see_every_event_once() {
    const WRITERS: i64 = 200;
    const EACH: i64 = 5;
    let world = Arc::new(world().await);
    let organization_id = world.organization_id();
    let is_over = Arc::new(AtomicBool::new(false));
    let placing: Vec<_> = (0..4)
        .map(|_| {
            let (world, is_over) = (Arc::clone(&world), Arc::clone(&is_over));
            tokio::spawn(async move {
                while !is_over.load(Ordering::Relaxed) {
                    // A deadlock would cause an error here.
                    sequence(&world.store, organization_id).await;
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    let reading: Vec<_> = (0..3u32)
        .map(|reader| {
            let (world, is_over) = (Arc::clone(&world), Arc::clone(&is_over));
            tokio::spawn(async move {
                let (mut seen, mut after) = (Vec::new(), FeedPosition::START);
                loop {
                    let was_over = is_over.load(Ordering::Relaxed);
                    let query = FeedQuery { limit: 7 + reader, most: 20, ..behind(&world, after) };
                    let page = world.store.read_feed(&query).await.unwrap();
                    seen.extend(ids(&page));
                    // Like a client, the reader stores only the id of the last event and looks up its position.
                    if let Some((_, last)) = page.events.last() {
                        let place = world.store.feed_place(organization_id, last.record.event.event_id).await.unwrap();
                        after = place.unwrap();
                    }
                    if was_over && page.is_end {
                        return seen;
                    }
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    let writing: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let world = Arc::clone(&world);
            tokio::spawn(async move {
                for turn in 0..EACH {
                    let event = event(&world, 1 + writer * EACH + turn);
                    let mut tx = world.begin().await;
                    if writer % 2 == 0 && (writer + turn) % 10 != 0 {
                        tx.commit_with(&with(event)).await.unwrap();
                        continue;
                    }
                    tx.events().append(&[event]).await.unwrap();
                    for _ in 0..(writer % 7) {
                        tokio::task::yield_now().await;
                    }
                    if (writer + turn) % 10 == 0 {
                        drop(tx);
                    } else {
                        tx.commit().await.unwrap();
                    }
                }
            })
        })
        .collect();
    for writer in writing {
        writer.await.unwrap();
    }
    while !world.store.unsequenced(1).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    is_over.store(true, Ordering::Relaxed);
    for placer in placing {
        placer.await.unwrap();
    }
    let committed = (0..WRITERS)
        .flat_map(|writer| (0..EACH).map(move |turn| (writer, turn)))
        .filter(|(writer, turn)| (writer + turn) % 10 != 0)
        .map(|(writer, turn)| u128::try_from(1 + writer * EACH + turn).unwrap())
        .collect::<BTreeSet<u128>>();
    let mut orders = Vec::new();
    for reader in reading {
        orders.push(reader.await.unwrap());
    }
    assert_eq!(orders[0].iter().copied().collect::<BTreeSet<_>>(), committed);
    assert_eq!(orders[0].len(), committed.len(), "an event is repeated");
    assert!(orders.iter().all(|order| *order == orders[0]), "readers have different orders");
}
