//! The feed: every committed event has one place, in an order that never changes, and nothing appears behind a reader.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::model::feed::{Among, FeedPlace, Selection};
use inboxd_core::model::{Event, EventBody, EventId, EventType, Hidden, NewMail, OrganizationId, UsageChange};
use inboxd_core::ports::{EventKey, FeedPage, FeedQuery, FeedReads, Placed, Sequenced, Signal, Signals, Store};
use inboxd_postgres::{Committed, PgStore, connect};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::consume_budget;
use uuid::Uuid;

use crate::support::*;

fn event(world: &World, number: i64) -> Event {
    let recipients = strings(&["a@example.org"]);
    Event {
        event_id: Uuid::from_u128(u128::try_from(number).unwrap()).into(),
        event_type: EventType::MessageSent,
        organization_id: world.organization_id(),
        pod_id: Some(world.inbox.pod_id),
        inbox_id: Some(world.inbox.inbox_id.clone()),
        thread_id: Some(thread_id(number)),
        message_id: Some(message_id(&number.to_string())),
        body: EventBody::Send { recipients },
        created_at: at(number),
    }
}

async fn append(store: &PgStore, event: Event) {
    let mut tx = store.begin().await.unwrap();
    tx.events().append(&[event]).await.unwrap();
    tx.commit().await.unwrap();
}

/// Appends an event that waits for its place.
async fn append_unplaced(world: &World, event: Event) {
    let mut holder = world.hold_heads().await;
    append(&world.store, event).await;
    holder.batch_execute("COMMIT").await.unwrap();
}

async fn sequence(store: &PgStore, organization_id: OrganizationId) -> usize {
    store.sequence(&[organization_id], at(0)).await.unwrap().len()
}

fn behind(world: &World, after: FeedPlace) -> FeedQuery {
    FeedQuery {
        organization_id: world.organization_id(),
        after,
        selection: Selection::default(),
        limit: 100,
        most: 1000,
        with_mail: false,
        readable: Hidden::NONE,
        largest_body: 1000,
    }
}

fn ids(page: &FeedPage) -> Vec<u128> {
    page.events.iter().map(|(_, event)| event.record.event.event_id.0.as_u128()).collect()
}

#[tokio::test]
async fn an_event_has_its_place_once_it_was_given_one() {
    let world = world().await;
    append_unplaced(&world, event(&world, 1)).await;
    let page = world.store.read_feed(&behind(&world, FeedPlace::START)).await.unwrap();
    assert_eq!((ids(&page), page.place, page.is_end), (vec![], FeedPlace::START, true));
    assert_eq!(world.store.unsequenced(10).await.unwrap(), [world.organization_id()]);
    let [sequenced] = world.store.sequence(&[world.organization_id()], at(0)).await.unwrap().try_into().unwrap();
    assert_eq!(sequence(&world.store, world.organization_id()).await, 0, "there is nothing more to place");
    let page = world.store.read_feed(&behind(&world, FeedPlace::START)).await.unwrap();
    assert_eq!((ids(&page), page.place.position, page.is_end), (vec![1], 1, true));
    let key =
        EventKey { organization_id: world.organization_id(), created_at: at(1), event_id: Uuid::from_u128(1).into() };
    assert_eq!(sequenced.placed, [Placed { place: page.place, event: key }], "whoever gave it knows it");
    assert!(!sequenced.has_deliveries && !sequenced.is_more);
    let event_id = EventId::from(Uuid::from_u128(1));
    assert_eq!(world.store.feed_place(world.organization_id(), event_id).await.unwrap(), Some(page.place));
    let heads = world.store.feed_heads(&[world.organization_id()]).await.unwrap();
    assert_eq!(heads, [(world.organization_id(), page.place)]);
    let stranger = OrganizationId(Uuid::from_u128(99));
    assert_eq!(world.store.feed_place(stranger, event_id).await.unwrap(), None);
    assert_eq!(world.store.read_feed(&behind(&world, page.place)).await.unwrap().place, page.place);
}

/// Mail that makes nothing but an event.
fn with(event: Event) -> NewMail {
    NewMail { events: vec![event], ..NewMail::default() }
}

async fn in_feed(world: &World) -> Vec<u128> {
    ids(&world.store.read_feed(&behind(world, FeedPlace::START)).await.unwrap())
}

#[tokio::test]
async fn events_have_their_places_with_the_commit() {
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
        assert_eq!(world.store.committed().await, Committed { signals: BTreeSet::new(), placed });
    }
    assert_eq!(in_feed(&world).await, [1, 2, 3, 4]);
    assert!(world.store.unsequenced(1).await.unwrap().is_empty());
    // An event never has a place of an earlier time than one before it.
    world.begin().await.commit_with(&with(Event { created_at: at(1), ..event(&world, 5) })).await.unwrap();
    assert_eq!(world.store.feed_heads(&[organization_id]).await.unwrap()[0].1, FeedPlace { at: at(4), position: 5 });
}

#[tokio::test]
async fn a_commit_takes_those_along_that_wait_for_their_places() {
    let world = world().await;
    append_unplaced(&world, event(&world, 2)).await;
    let told = world.store.committed().await;
    assert_eq!(told, Committed { signals: BTreeSet::from([Signal::Feed(world.organization_id())]), placed: vec![] });
    append(&world.store, event(&world, 1)).await;
    assert_eq!(in_feed(&world).await, [2, 1], "what waited may have been known when the other happened");
    let told = world.store.committed().await;
    let positions: Vec<_> = told.placed.iter().flat_map(|one| &one.placed).map(|one| one.place.position).collect();
    assert_eq!((told.signals, positions), (BTreeSet::new(), vec![1, 2]));
    assert!(world.store.unsequenced(1).await.unwrap().is_empty());
}

#[tokio::test]
async fn behind_many_that_wait_for_their_places_an_event_waits_too() {
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
    let told = world.store.committed().await;
    assert_eq!(told.signals, BTreeSet::from([Signal::Feed(world.organization_id())]));
    assert_eq!(sequence(&world.store, world.organization_id()).await, 1);
    assert_eq!(world.store.feed_heads(&[world.organization_id()]).await.unwrap()[0].1.position, 67);
}

#[tokio::test]
async fn events_of_one_unit_of_work_stand_in_their_order_whatever_brings_them() {
    let world = world().await;
    let mut tx = world.begin().await;
    tx.events().append(&[event(&world, 1)]).await.unwrap();
    tx.commit_with(&with(event(&world, 2))).await.unwrap();
    assert_eq!(in_feed(&world).await, [1, 2]);
}

#[tokio::test]
async fn one_organization_waits_and_another_does_not() {
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
async fn nobody_holds_a_head_while_they_wait_for_something_else() {
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

/// Does work in a task that has done so much already each time it comes to it: tasks share what they may do at a time.
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
async fn mail_is_sent_before_its_commit_however_much_the_task_has_done() {
    let world = world().await;
    for done in 64..128 {
        let mail = with(event(&world, i64::from(done)));
        after(done, async { world.begin().await.commit_with(&mail).await }).await.unwrap();
    }
}

#[tokio::test]
async fn mail_waits_for_nobody_who_gives_places() {
    let world = world().await;
    let mut other = world.hold_heads().await;
    world.begin().await.commit_with(&with(event(&world, 1))).await.unwrap();
    other.batch_execute("COMMIT").await.unwrap();
    assert_eq!(in_feed(&world).await, []);
    assert_eq!(world.store.unsequenced(1).await.unwrap(), [world.organization_id()]);
}

#[tokio::test]
async fn what_commits_late_is_placed_late_and_a_unit_of_work_that_stands_still_delays_nobody() {
    let world = world().await;
    let mut stuck = world.begin().await;
    stuck.events().append(&[event(&world, 1)]).await.unwrap();
    append(&world.store, event(&world, 2)).await;
    let first = world.store.read_feed(&behind(&world, FeedPlace::START)).await.unwrap();
    assert_eq!(ids(&first), [2]);
    stuck.commit().await.unwrap();
    assert_eq!(ids(&world.store.read_feed(&behind(&world, first.place)).await.unwrap()), [1]);
}

#[tokio::test]
async fn a_page_holds_what_is_selected_and_says_how_far_it_looked() {
    let world = world().await;
    for number in 1..=10 {
        let event_type = if number % 2 == 0 { EventType::MessageSent } else { EventType::MessageBounced };
        append(&world.store, Event { event_type, ..event(&world, number) }).await;
    }
    let even = Selection { event_types: vec![EventType::MessageSent], ..Selection::default() };
    let query = FeedQuery { selection: even, limit: 2, ..behind(&world, FeedPlace::START) };
    let first = world.store.read_feed(&query).await.unwrap();
    assert_eq!((ids(&first), first.place.position, first.is_end), (vec![2, 4], 4, false));
    let second = world.store.read_feed(&FeedQuery { after: first.place, ..query.clone() }).await.unwrap();
    assert_eq!((ids(&second), second.place.position), (vec![6, 8], 8));
    let third = world.store.read_feed(&FeedQuery { after: second.place, ..query.clone() }).await.unwrap();
    assert_eq!((ids(&third), third.place.position, third.is_end), (vec![10], 10, true));
    // Looking at three at a time finds the same, in more steps.
    let narrow = world.store.read_feed(&FeedQuery { most: 3, ..query.clone() }).await.unwrap();
    assert_eq!((ids(&narrow), narrow.place.position, narrow.is_end), (vec![2], 3, false));
    let here = Among { pod_ids: vec![], inbox_ids: vec![world.inbox.inbox_id.clone()] };
    let nowhere = Among { pod_ids: vec![Uuid::nil().into()], inbox_ids: vec![] };
    for (among, found) in [(vec![here.clone()], 10), (vec![nowhere.clone()], 0), (vec![here, nowhere], 0)] {
        let selection = Selection { among, ..Selection::default() };
        let page = world.store.read_feed(&FeedQuery { selection, ..behind(&world, FeedPlace::START) }).await.unwrap();
        assert_eq!((page.events.len(), page.place.position), (found, 10));
    }
    let selection = Selection { start: Some(at(3)), end: Some(at(5)), ..Selection::default() };
    let page = world.store.read_feed(&FeedQuery { selection, ..behind(&world, FeedPlace::START) }).await.unwrap();
    assert_eq!(ids(&page), [3, 4]);
}

/// Two hundred writers, some of them slow, some that give up, some whose events have their places with the commit, and four
/// who give places at once, while readers go on from wherever they are: each reader has seen exactly the committed events,
/// in one order, each once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_who_go_on_from_anywhere_miss_nothing_and_see_nothing_twice() {
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
                    // A deadlock would show here as an error.
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
                let (mut seen, mut after) = (Vec::new(), FeedPlace::START);
                loop {
                    let was_over = is_over.load(Ordering::Relaxed);
                    let query = FeedQuery { limit: 7 + reader, most: 20, ..behind(&world, after) };
                    let page = world.store.read_feed(&query).await.unwrap();
                    seen.extend(ids(&page));
                    // Only the id of the last event is kept, as a client would, and its place is looked up.
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
    assert_eq!(orders[0].len(), committed.len(), "an event came twice");
    assert!(orders.iter().all(|order| *order == orders[0]), "readers disagree about the order");
}

#[tokio::test]
async fn whoever_finds_others_at_a_long_queue_is_told_that_there_is_more() {
    let world = world().await;
    let mut tx = world.begin().await;
    let events: Vec<Event> = (1..=2001).map(|number| event(&world, number)).collect();
    tx.events().append(&events).await.unwrap();
    // Somebody who holds the head places as many as are placed at once.
    let mut other = world.hold_heads().await;
    tx.commit().await.unwrap();
    let place = "WITH placed AS (DELETE FROM feed_pending WHERE event_id <> (SELECT max(event_id::text)::uuid FROM feed_pending))
        UPDATE feed_heads SET position = 2000; COMMIT";
    let organization_id = world.organization_id();
    let waits = world.store.sequence(std::slice::from_ref(&organization_id), at(0));
    let places = async {
        world.until_one_waits().await;
        other.batch_execute(place).await.unwrap();
    };
    let (sequenced, ()) = tokio::join!(waits, places);
    assert_eq!(
        sequenced.unwrap(),
        [Sequenced { organization_id, placed: vec![], has_deliveries: false, is_more: true }]
    );
    let next = world.store.sequence(&[organization_id], at(0)).await.unwrap();
    let [next] = next.try_into().unwrap();
    assert_eq!((next.placed.len(), next.placed[0].place.position, next.is_more), (1, 2001, false));
    let heads = world.store.feed_heads(&[organization_id]).await.unwrap();
    assert_eq!(heads[0].1.position, 2001, "the one that was left");
}

/// A store beside another, as another process has it, and what it hears.
async fn beside(world: &World) -> UnboundedReceiver<Signal> {
    let (heard, mut signals) = unbounded_channel();
    let url = world.database.url();
    tokio::spawn(async move {
        let store = connect(&url, 1).await.unwrap();
        let hear = |signal| {
            // The test may be over.
            let _ = heard.send(signal);
        };
        store.listen(&url, hear).await
    });
    assert_eq!(signals.recv().await, Some(Signal::Lost), "what was sent before is lost");
    signals
}

#[tokio::test]
async fn a_commit_tells_of_its_organizations_and_a_signal_reaches_other_processes() {
    let world = world().await;
    append_unplaced(&world, event(&world, 1)).await;
    let signals = BTreeSet::from([Signal::Feed(world.organization_id())]);
    assert_eq!(world.store.committed().await, Committed { signals, placed: vec![] });
    let mut other = beside(&world).await;
    let signals = [Signal::Feed(world.organization_id()), Signal::Access(world.organization_id())];
    world.store.send_signals(&signals).await.unwrap();
    assert_eq!([other.recv().await.unwrap(), other.recv().await.unwrap()], signals);
}

#[tokio::test]
async fn others_are_told_once_they_are_seen_to_listen() {
    let world = world().await;
    let organization_id = world.organization_id();
    let (store, url) = (world.store.clone(), world.database.url());
    let (heard, mut itself) = unbounded_channel();
    let listening = tokio::spawn(async move { store.listen(&url, |signal| heard.send(signal).unwrap()).await });
    assert_eq!(itself.recv().await, Some(Signal::Lost));
    assert!(world.store.has_others(), "nobody has looked");
    world.store.look_for_others().await.unwrap();
    assert!(!world.store.has_others(), "it is told from itself");
    let mut other = beside(&world).await;
    // It has not been seen yet.
    append_unplaced(&world, event(&world, 1)).await;
    assert_eq!(sequence(&world.store, organization_id).await, 1);
    world.store.send_signals(&[Signal::Access(organization_id)]).await.unwrap();
    assert_eq!(other.recv().await, Some(Signal::Access(organization_id)));
    world.store.look_for_others().await.unwrap();
    assert!(world.store.has_others());
    append_unplaced(&world, event(&world, 2)).await;
    assert_eq!(sequence(&world.store, organization_id).await, 1);
    assert_eq!(other.recv().await, Some(Signal::Feed(organization_id)));
    listening.abort();
}

#[tokio::test]
async fn whoever_gives_places_tells_other_processes_by_the_same_act_and_not_itself() {
    let world = world().await;
    let mut other = beside(&world).await;
    let (heard, mut itself) = unbounded_channel();
    let (store, url) = (world.store.clone(), world.database.url());
    let listening = tokio::spawn(async move { store.listen(&url, |signal| heard.send(signal).unwrap()).await });
    assert_eq!(itself.recv().await, Some(Signal::Lost));
    append_unplaced(&world, event(&world, 1)).await;
    assert_eq!(sequence(&world.store, world.organization_id()).await, 1);
    assert_eq!(sequence(&world.store, world.organization_id()).await, 0);
    // What comes behind shows that nothing came before it.
    let last = Signal::Access(world.organization_id());
    world.store.send_signals(&[last]).await.unwrap();
    assert_eq!(other.recv().await, Some(Signal::Feed(world.organization_id())));
    assert_eq!([other.recv().await, itself.recv().await], [Some(last), Some(last)]);
    listening.abort();
}
