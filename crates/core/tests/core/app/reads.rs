//! First reads of messages.

use inboxd_core::app::messages::{attachment, batch_get, find_attachment, get, item, linked};
use inboxd_core::app::{App, reads};
use inboxd_core::model::{Caller, FirstRead, MessageItem, ReadPart, ReaderId};
use inboxd_core::ports::{RawSource, ReadBounds, StoreError};
use inboxd_core::rules::reads::{MAX_PER_INBOX, MAX_READERS};
use inboxd_core::testing::fixtures::{self, NOW, id, message_id};
use inboxd_core::testing::{Captured, World};
use inboxd_core::{Error, RedactionRefusal, Resource};

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
    linked(&app, &person, &inbox, &message).await.unwrap();
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

/// A world whose inbox has a message with the attachment 20, or this message after its redaction.
fn with_attachment(is_redacted: bool) -> World {
    const RAW: &[u8] = b"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nhello";
    let part = inboxd_mail::parse(RAW).attachments[0].part;
    let attachments = vec![inboxd_core::model::Attachment { part, ..fixtures::attachment(20) }];
    let redacted_at = is_redacted.then_some(NOW);
    let stored = MessageItem { attachments, redacted_at, ..fixtures::message_item() };
    let mut world = world();
    let source = RawSource { item: stored.clone(), raw: RAW.to_vec() };
    world.store.expect_message_item().returning(move |_, _, _, _| Ok(Some(stored.clone())));
    world.store.expect_raw_message().returning(move |_, _, _, _| Ok(Some(source.clone())));
    world
}

#[tokio::test]
async fn refused_read_of_attachment_is_not_noted() {
    let (inbox, message) = (fixtures::inbox().inbox_id, fixtures::message_item().message_id);
    let (key, person) = (fixtures::caller(), fixtures::calling(&fixtures::member()));
    let app = with_attachment(true).app();
    let redacted = |error| matches!(error, Error::Redaction(RedactionRefusal::Redacted(_)));
    assert!(redacted(find_attachment(&app, &key, &inbox, &message, id(20)).await.unwrap_err()));
    assert!(redacted(attachment(&app, &person, &inbox, &message, id(20)).await.unwrap_err()));
    // No unit of work is expected, so a note would fail.
    reads::record(&app).await.unwrap();

    let mut world = with_attachment(false);
    let stored = Captured::<FirstRead>::default();
    let seen = stored.clone();
    world.unit_of_work().first_reads.expect_add().once().returning(move |reads, _| {
        for read in reads {
            seen.push(read.clone());
        }
        Ok(())
    });
    let app = world.app();
    let missing = |error| matches!(error, Error::NotFound { resource: Resource::Attachment, .. });
    assert!(missing(find_attachment(&app, &key, &inbox, &message, id(21)).await.unwrap_err()));
    assert!(missing(attachment(&app, &key, &inbox, &message, id(21)).await.unwrap_err()));
    reads::record(&app).await.unwrap();
    find_attachment(&app, &key, &inbox, &message, id(20)).await.unwrap();
    attachment(&app, &person, &inbox, &message, id(20)).await.unwrap();
    reads::record(&app).await.unwrap();
    let found: Vec<_> = stored.all().into_iter().map(|read| (read.reader, read.part)).collect();
    assert_eq!(found.len(), 2);
    for reader in [key.actor, person.actor] {
        assert!(found.contains(&(reader, ReadPart::Attachment)), "{found:?}");
    }
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
