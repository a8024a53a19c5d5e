//! Signals about positions, within the process and across processes.

use super::*;

#[tokio::test]
async fn sequencer_behind_long_queue_learns_of_remaining_events() {
    let world = world().await;
    let mut tx = world.begin().await;
    let events: Vec<Event> = (1..=2001).map(|number| event(&world, number)).collect();
    tx.events().append(&events).await.unwrap();
    // The holder of the head sequences a full batch.
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
    assert_eq!(heads[0].1.position, 2001, "the remaining event");
}

/// A second store, as in another process, with its received signals.
async fn beside(world: &World) -> UnboundedReceiver<Signal> {
    let (heard, mut signals) = unbounded_channel();
    let url = world.database.url();
    tokio::spawn(async move {
        let store = connect(&url, 1).await.unwrap();
        let hear = |signal| {
            // The test may have ended.
            let _ = heard.send(signal);
        };
        store.listen(&hear).await
    });
    assert_eq!(signals.recv().await, Some(Signal::Lost), "earlier signals are lost");
    signals
}

#[tokio::test]
async fn commit_signals_its_organizations_to_other_processes() {
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
async fn other_processes_are_signalled_once_they_listen() {
    let world = world().await;
    let organization_id = world.organization_id();
    let store = world.store.clone();
    let (heard, mut itself) = unbounded_channel();
    let listening = tokio::spawn(async move { store.listen(&|signal| heard.send(signal).unwrap()).await });
    assert_eq!(itself.recv().await, Some(Signal::Lost));
    assert!(world.store.has_others(), "no process has checked");
    world.store.look_for_others().await.unwrap();
    assert!(!world.store.has_others(), "it is distinguished from itself");
    let mut other = beside(&world).await;
    // It has not been registered yet.
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
async fn sequencer_signals_other_processes_in_same_statement() {
    let world = world().await;
    let mut other = beside(&world).await;
    let (heard, mut itself) = unbounded_channel();
    let store = world.store.clone();
    let listening = tokio::spawn(async move { store.listen(&|signal| heard.send(signal).unwrap()).await });
    assert_eq!(itself.recv().await, Some(Signal::Lost));
    append_unplaced(&world, event(&world, 1)).await;
    assert_eq!(sequence(&world.store, world.organization_id()).await, 1);
    assert_eq!(sequence(&world.store, world.organization_id()).await, 0);
    // The next signal proves that none came before it.
    let last = Signal::Access(world.organization_id());
    world.store.send_signals(&[last]).await.unwrap();
    assert_eq!(other.recv().await, Some(Signal::Feed(world.organization_id())));
    assert_eq!([other.recv().await, itself.recv().await], [Some(last), Some(last)]);
    listening.abort();
}
