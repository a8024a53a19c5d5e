use std::sync::Arc;

use super::{FRESH, expect_storing, incoming, raw, world};
use inboxd_core::app::{App, BlobContents, NotReceived, receive};
use inboxd_core::model::BlobKind;
use inboxd_core::ports::{ArrivalQuery, BlobStore, OnArrival, StoreError};
use inboxd_core::testing::fixtures::address;
use inboxd_core::testing::{MemoryBlobs, World};
use time::Duration;

#[tokio::test]
async fn concurrently_deleted_inbox_is_unknown() {
    let mut world = world();
    world.unit_of_work().inbound.expect_look_up().once().returning(|_| Ok(OnArrival::default()));
    let refused = receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await;
    assert_eq!(refused, Err(NotReceived::UnknownRecipient(address("scout@inboxd.example"))));
}

#[tokio::test]
async fn mail_with_one_deleted_inbox_is_stored_in_none() {
    let mut world = world();
    let lives = |query: &ArrivalQuery| Ok(OnArrival { held: query.inboxes[..1].to_vec(), ..OnArrival::default() });
    world.unit_of_work().inbound.expect_look_up().once().returning(lives);
    let journal = world.journal.clone();
    let mail = incoming(&["other@inboxd.example", "scout@inboxd.example"], raw(FRESH));
    let gone = address("scout@inboxd.example");
    // The retry is refused for that inbox only.
    assert_eq!(receive(&world.app(), mail).await, Err(NotReceived::OneIsGone(gone)));
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn failed_upload_of_one_copy_leaves_no_object() {
    let blobs = MemoryBlobs::default();
    blobs.set_max_objects(1);
    let stores: Vec<(BlobKind, Arc<dyn BlobStore>)> = vec![(BlobKind::File, Arc::new(blobs.clone()))];
    let contents = BlobContents::new(stores, Some(BlobKind::File), 0, Duration::days(7));
    let app = App { blobs: Arc::new(contents), ..world().app() };
    let mail = incoming(&["other@inboxd.example", "scout@inboxd.example"], raw(FRESH));
    let refused = receive(&app, mail).await;
    assert!(matches!(refused, Err(NotReceived::Store(StoreError::ContentUnavailable(_)))), "{refused:?}");
    assert_eq!(blobs.names(), Vec::<String>::new());
}

#[tokio::test]
async fn mail_above_25_hops_is_loop() {
    for (hops, is_loop) in [(25, false), (26, true)] {
        let mut world = world();
        if !is_loop {
            expect_storing(world.unit_of_work(), Vec::new());
        }
        let received = vec![("Received", "from a by b; Fri, 20 Nov 2026 10:00:00 +0000"); hops];
        let answer = receive(&world.app(), incoming(&["scout@inboxd.example"], raw(&received))).await;
        assert_eq!(matches!(answer, Err(NotReceived::Loop(_))), is_loop, "{hops}: {answer:?}");
    }
}

#[tokio::test]
async fn mail_delivered_before_to_inbox_is_loop() {
    let key = World::default().settings.signing_key;
    let signed = |inbox: &str| key.sign("X-Inboxd-Trace", inbox.as_bytes());
    let table = [
        (signed("scout@inboxd.example"), true),
        (signed("other@inboxd.example"), false),
        ("scout@inboxd.example".to_owned(), false),
        (key.sign("download", b"scout@inboxd.example"), false),
    ];
    for (trace, is_loop) in table {
        let mut world = world();
        if !is_loop {
            expect_storing(world.unit_of_work(), Vec::new());
        }
        let raw = raw(&[("Delivered-To", "scout@inboxd.example"), ("X-Inboxd-Trace", &trace)]);
        let answer = receive(&world.app(), incoming(&["scout@inboxd.example"], raw)).await;
        assert_eq!(matches!(answer, Err(NotReceived::Loop(_))), is_loop, "{trace}: {answer:?}");
    }
}

#[tokio::test]
async fn mail_of_maximum_size_is_accepted_and_one_byte_more_refused() {
    for (surplus, taken) in [(0, true), (1, false)] {
        let mut world = world();
        let mail = raw(FRESH);
        world.settings.max_message_bytes = mail.len() - surplus;
        if taken {
            expect_storing(world.unit_of_work(), Vec::new());
        }
        let limit = world.settings.max_message_bytes;
        let answer = receive(&world.app(), incoming(&["scout@inboxd.example"], mail)).await;
        assert_eq!(answer.clone().is_ok(), taken);
        assert!(taken || answer == Err(NotReceived::TooLarge(limit)));
    }
}
