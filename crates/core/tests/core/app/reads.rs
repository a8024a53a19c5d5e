//! First reads of messages.

use inboxd_core::Error;
use inboxd_core::app::messages::{batch_get, get, item, linked, raw};
use inboxd_core::app::{App, reads};
use inboxd_core::model::{Caller, FirstRead, ReadPart, ReaderId};
use inboxd_core::ports::{RawSource, ReadBounds, StoreError};
use inboxd_core::rules::reads::{MAX_PER_INBOX, MAX_READERS};
use inboxd_core::testing::fixtures::{self, NOW, id, message_id};
use inboxd_core::testing::{Captured, World};

use super::world;

/// A world whose inbox has the fixture message alone.
fn with_message() -> World {
    let mut world = world();
    let is_there = |message: &inboxd_core::model::MessageId| *message == fixtures::message_item().message_id;
    world
        .store
        .expect_message()
        .returning(move |_, _, message, _| Ok(is_there(message).then(|| fixtures::message(fixtures::message_item()))));
    world.store.expect_messages().returning(|_, _, _, _| Ok(vec![fixtures::message(fixtures::message_item())]));
    world.store.expect_body_sizes().returning(|_, _, _, _| Ok(vec![1]));
    world.store.expect_message_item().returning(|_, _, _, _| Ok(Some(fixtures::message_item())));
    world.store.expect_raw_message().returning(|_, _, _, _| {
        Ok(Some(RawSource { item: fixtures::message_item(), raw: b"Subject: x\r\n\r\n".to_vec() }))
    });
    world
}

fn connected() -> Caller {
    let caller = fixtures::calling(&fixtures::member());
    Caller { actor: caller.actor.clone().through(Some(id(7))), ..caller }
}

async fn read(app: &App, caller: &Caller) {
    get(app, caller, &fixtures::inbox().inbox_id, &fixtures::message_item().message_id).await.unwrap();
}

#[tokio::test]
async fn each_read_of_content_is_noted_once_for_its_reader() {
    let mut world = with_message();
    let stored = Captured::<FirstRead>::default();
    let seen = stored.clone();
    world.unit_of_work().first_reads.expect_add().once().returning(move |reads, bounds| {
        assert_eq!(bounds, ReadBounds { of_message: MAX_READERS, of_inbox: MAX_PER_INBOX });
        for read in reads {
            seen.push(read.clone());
        }
        Ok(())
    });
    let (app, inbox, message) = (world.app(), fixtures::inbox().inbox_id, fixtures::message_item().message_id);
    let (key, person) = (fixtures::caller(), fixtures::calling(&fixtures::member()));
    // No content is read.
    item(&app, &key, &inbox, &message).await.unwrap();
    let missing = get(&app, &key, &inbox, &message_id("<other@example.org>")).await;
    assert!(matches!(missing, Err(Error::NotFound { .. })));
    raw(&app, &person, &inbox, &message).await.unwrap();
    batch_get(&app, &connected(), &inbox, std::slice::from_ref(&message)).await.unwrap();
    for _ in 0..2 {
        read(&app, &key).await;
        linked(&app, &key, &inbox, &message).await.unwrap();
        read(&app, &person).await;
    }
    reads::record(&app).await.unwrap();
    let mut found: Vec<_> = stored.all().iter().map(|read| (ReaderId::of(&read.reader), read.part)).collect();
    found.sort();
    let mut expected = vec![
        (ReaderId::of(&key.actor), ReadPart::Message),
        (ReaderId::of(&person.actor), ReadPart::Raw),
        (ReaderId::Connection(id(7)), ReadPart::Message),
    ];
    expected.sort();
    assert_eq!(found, expected);
    // Nothing is left.
    reads::record(&app).await.unwrap();
}

#[tokio::test]
async fn reads_wait_while_storage_is_away() {
    let mut world = with_message();
    let stored = Captured::<usize>::default();
    let seen = stored.clone();
    world
        .unit_of_work()
        .first_reads
        .expect_add()
        .once()
        .returning(|_, _| Err(StoreError::Unavailable("away".to_owned())));
    world.unit_of_work().first_reads.expect_add().once().returning(move |reads, _| {
        seen.push(reads.len());
        Ok(())
    });
    let app = world.app();
    read(&app, &fixtures::caller()).await;
    assert!(reads::record(&app).await.is_err());
    read(&app, &connected()).await;
    reads::record(&app).await.unwrap();
    assert_eq!(stored.all(), [2]);
    assert_eq!(reads::take_dropped(&app), 0);
}

#[tokio::test]
async fn reads_are_purged_with_the_events() {
    let mut world = World::default();
    let before = NOW - world.settings.event_retention;
    world.unit_of_work().first_reads.expect_purge().once().withf(move |at, _| *at == before).returning(|_, _| Ok(1000));
    assert!(reads::purge(&world.app()).await.unwrap());
}
