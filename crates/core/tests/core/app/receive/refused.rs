use inboxd_core::app::{NotReceived, accepts, receive};
use inboxd_core::testing::fixtures::address;

use super::{FRESH, expect_storing, incoming, raw, world};

#[tokio::test]
async fn one_unknown_recipient_keeps_the_mail_from_all() {
    let world = world();
    let mail = incoming(&["scout@inboxd.example", "nobody@inboxd.example"], raw(FRESH));
    let refused = receive(&world.app(), mail).await;
    assert_eq!(refused, Err(NotReceived::UnknownRecipient(address("nobody@inboxd.example"))));
}

#[tokio::test]
async fn an_inbox_that_was_deleted_meanwhile_is_unknown() {
    let mut world = world();
    let tx = world.unit_of_work();
    tx.inboxes.expect_hold().once().returning(|wanted| Ok(wanted[..1].to_vec()));
    tx.messages.expect_possible_repeats().returning(|_, _, _| Ok(Vec::new()));
    tx.threads.expect_insert().returning(|_| Ok(()));
    tx.messages.expect_insert().returning(|_| Ok(()));
    let journal = world.journal.clone();
    let mail = incoming(&["other@inboxd.example", "scout@inboxd.example"], raw(FRESH));
    let refused = receive(&world.app(), mail).await;
    assert_eq!(refused, Err(NotReceived::UnknownRecipient(address("scout@inboxd.example"))));
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn a_mail_that_passed_more_than_25_servers_is_a_loop() {
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
async fn a_mail_that_this_inbox_received_before_is_a_loop() {
    for (delivered_to, is_loop) in
        [("Scout@Inboxd.Example", true), (" scout@inboxd.example ", true), ("other@inboxd.example", false)]
    {
        let mut world = world();
        if !is_loop {
            expect_storing(world.unit_of_work(), Vec::new());
        }
        let raw = raw(&[("Delivered-To", "else@example.org"), ("Delivered-To", delivered_to)]);
        let answer = receive(&world.app(), incoming(&["scout@inboxd.example"], raw)).await;
        assert_eq!(matches!(answer, Err(NotReceived::Loop(_))), is_loop, "{delivered_to}: {answer:?}");
    }
}

#[tokio::test]
async fn a_mail_as_large_as_allowed_is_taken_and_one_octet_more_is_not() {
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

#[tokio::test]
async fn mail_is_accepted_for_inboxes_that_are_there() {
    assert_eq!(accepts(&world().app(), &address("Scout+x@inboxd.example")).await, Ok(()));
    let nobody = address("nobody@inboxd.example");
    assert_eq!(accepts(&world().app(), &nobody).await, Err(NotReceived::UnknownRecipient(nobody)));
}
