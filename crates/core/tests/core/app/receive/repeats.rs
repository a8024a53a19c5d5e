use inboxd_core::app::{IncomingMail, NotReceived, receive};
use inboxd_core::ports::{Constraint, StoreError};
use inboxd_core::rules::deduplication;
use inboxd_core::testing::fixtures::{address, inbox_id, message_id};

use super::{FRESH, expect_failing, expect_storing, incoming, known, raw, world};

#[tokio::test]
async fn stored_mail_has_trace_fields() {
    for (envelope_from, return_path) in
        [(Some(address("anna@example.org")), "Return-Path: <anna@example.org>"), (None, "Return-Path: <>")]
    {
        let mut world = world();
        let stored = expect_storing(world.unit_of_work(), Vec::new());
        let mail = IncomingMail { envelope_from, ..incoming(&["scout@inboxd.example"], raw(FRESH)) };
        receive(&world.app(), mail).await.unwrap();
        let bytes = stored.messages.only().raw;
        assert!(bytes.ends_with(&raw(FRESH)), "the rest of the mail is unchanged");
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with(return_path), "{text}");
        assert!(text.contains("\r\nDelivered-To: scout@inboxd.example\r\nX-Inboxd-Trace: "), "{text}");
        assert!(text.contains("\r\nReceived: by inboxd.example"), "{text}");
    }
}

#[tokio::test]
async fn retransmission_is_confirmed_without_write() {
    let mut world = world();
    let mail = incoming(&["scout@inboxd.example"], raw(FRESH));
    let digest = deduplication::digest(mail.envelope_from.as_ref(), &mail.raw);
    let stored = expect_storing(world.unit_of_work(), vec![known(Some(digest))]);
    let journal = world.journal.clone();
    assert_eq!(receive(&world.app(), mail).await.unwrap().messages, []);
    assert_eq!((stored.messages.all().len(), stored.events.all().len(), journal.commits()), (0, 0, 0));
}

#[tokio::test]
async fn retransmission_for_one_inbox_is_new_for_another() {
    let mut world = world();
    let mail = incoming(&["scout@inboxd.example", "other@inboxd.example"], raw(FRESH));
    let digest = deduplication::digest(mail.envelope_from.as_ref(), &mail.raw);
    let stored = expect_storing(world.unit_of_work(), vec![known(Some(digest))]);
    let arrived = receive(&world.app(), mail).await.unwrap();
    assert_eq!(arrived.messages, [(inbox_id("other@inboxd.example"), message_id("<fresh@example.org>"))]);
    assert_eq!(stored.events.only().len(), 1);
}

#[tokio::test]
async fn different_mail_with_known_message_id_gets_generated_id() {
    for digest in [Some([9; 32]), None] {
        let mut world = world();
        let stored = expect_storing(world.unit_of_work(), vec![known(digest)]);
        receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await.unwrap();
        let new = stored.messages.only();
        assert_eq!(new.header_message_id, Some(message_id("<fresh@example.org>")));
        assert_ne!(new.message.item.message_id, message_id("<fresh@example.org>"));
    }
}

#[tokio::test]
async fn mail_without_usable_message_id_gets_generated_id() {
    for fields in [&[][..], &[("Message-ID", "no id at all")]] {
        let mut world = world();
        let stored = expect_storing(world.unit_of_work(), Vec::new());
        receive(&world.app(), incoming(&["scout@inboxd.example"], raw(fields))).await.unwrap();
        let new = stored.messages.only();
        assert!(new.message.item.message_id.as_str().ends_with("@inboxd.example>"));
        assert_eq!(new.header_message_id, None);
    }
}

#[tokio::test]
async fn contended_receive_is_retried() {
    for error in [StoreError::Contention, StoreError::Duplicate(Constraint::MessageId)] {
        let mut world = world();
        expect_failing(&mut world, error);
        let stored = expect_storing(world.unit_of_work(), Vec::new());
        let journal = world.journal.clone();
        receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await.unwrap();
        assert_eq!((stored.messages.all().len(), journal.commits()), (1, 1));
    }
}

#[tokio::test]
async fn concurrent_copy_makes_mail_a_retransmission() {
    let mut world = world();
    let mail = incoming(&["scout@inboxd.example"], raw(FRESH));
    let digest = deduplication::digest(mail.envelope_from.as_ref(), &mail.raw);
    expect_failing(&mut world, StoreError::Duplicate(Constraint::MessageId));
    let stored = expect_storing(world.unit_of_work(), vec![known(Some(digest))]);
    assert_eq!(receive(&world.app(), mail).await.unwrap().messages, []);
    assert_eq!(stored.messages.all(), []);
}

#[tokio::test]
async fn contended_commit_is_retried() {
    let mut world = world();
    expect_storing(world.unit_of_work(), Vec::new());
    world.last_unit_of_work().commit_fails = Some(StoreError::Contention);
    expect_storing(world.unit_of_work(), Vec::new());
    let journal = world.journal.clone();
    assert!(receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await.is_ok());
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn retries_are_limited_and_other_failures_are_not_retried() {
    let kinds =
        [(StoreError::Contention, 5), (StoreError::LockTimeout, 21), (StoreError::Unavailable("gone".to_owned()), 1)];
    for (error, tries) in kinds {
        let mut world = world();
        (0..tries).for_each(|_| expect_failing(&mut world, error.clone()));
        let failed = receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await;
        assert_eq!(failed, Err(NotReceived::Store(error)));
    }
}
