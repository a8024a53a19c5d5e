use inboxd_core::app::receive;
use inboxd_core::ports::KnownMessage;
use inboxd_core::testing::fixtures::{self, id, message_id};

use crate::app::thread_of;

use super::{ANSWER, expect_storing, incoming, raw, world};

#[tokio::test]
async fn reply_joins_thread_of_referenced_message() {
    let mut world = world();
    let question = fixtures::message_item();
    let thread = thread_of(std::slice::from_ref(&question));
    let known = |name: &str, thread: u128| KnownMessage {
        message_id: message_id(name),
        thread_id: id(thread),
        ..super::known(Some([9; 32]))
    };
    let tx = world.unit_of_work();
    let locked = thread.clone();
    tx.threads.expect_lock_across().once().returning(move |keys| {
        assert_eq!(keys.iter().map(|key| key.thread_id).collect::<Vec<_>>(), [id(10)]);
        Ok(vec![locked.clone()])
    });
    // In-Reply-To refers to no stored message; the newest of References counts.
    let stored = expect_storing(tx, vec![known("<oldest@example.org>", 11), known("<newest@example.org>", 10)]);
    receive(&world.app(), incoming(&["scout@inboxd.example"], raw(ANSWER))).await.unwrap();

    let answer = stored.messages.only().message.item;
    assert_eq!(answer.thread_id, thread.thread_id);
    assert_eq!(stored.joined.only(), thread.joined_by(&answer));
    assert_eq!(stored.begun.all(), []);
    assert_eq!(stored.usage.only()[0].2.threads, 0);
}

#[tokio::test]
async fn mail_without_known_thread_starts_one() {
    let question = KnownMessage { message_id: message_id("<question@example.org>"), ..super::known(None) };
    for (known, locks) in [(vec![], 0), (vec![question], 1)] {
        let mut world = world();
        let tx = world.unit_of_work();
        tx.threads.expect_lock_across().times(locks).returning(|_| Ok(Vec::new()));
        let stored = expect_storing(tx, known);
        receive(&world.app(), incoming(&["scout@inboxd.example"], raw(ANSWER))).await.unwrap();
        assert_ne!(stored.begun.only().thread_id, id(10));
        assert_eq!(stored.usage.only()[0].2.threads, 1);
    }
}
