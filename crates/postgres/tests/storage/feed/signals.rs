//! Signals of places to this process and others.

use super::*;

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
        store.listen(&hear).await
    });
    assert_eq!(signals.recv().await, Some(Signal::Lost), "what was sent before is lost");
    signals
}

#[tokio::test]
async fn a_commit_tells_of_its_organizations_and_a_signal_reaches_other_processes() {
    let world = world().await;
    append_unplaced(&world, event(&world, 1)).await;
    let signals = BTreeSet::from([Signal::Feed(world.organization_id())]);
    assert_eq!(world.store.committed().await, CommittedChanges { signals, placed: vec![] });
    let mut other = beside(&world).await;
    let signals = [Signal::Feed(world.organization_id()), Signal::Access(world.organization_id())];
    world.store.send_signals(&signals).await.unwrap();
    assert_eq!([other.recv().await.unwrap(), other.recv().await.unwrap()], signals);
}

#[tokio::test]
async fn others_are_told_once_they_are_seen_to_listen() {
    let world = world().await;
    let organization_id = world.organization_id();
    let store = world.store.clone();
    let (heard, mut itself) = unbounded_channel();
    let listening = tokio::spawn(async move { store.listen(&|signal| heard.send(signal).unwrap()).await });
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
    let store = world.store.clone();
    let listening = tokio::spawn(async move { store.listen(&|signal| heard.send(signal).unwrap()).await });
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
