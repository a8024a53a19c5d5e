use inboxd_core::app::receive;
use inboxd_core::testing::fixtures::{self, id};

use crate::app::thread_of;

use super::{ANSWER, expect_storing, incoming, raw, world};

#[tokio::test]
async fn an_answer_joins_the_thread_of_what_it_answers() {
    let mut world = world();
    let question = fixtures::message_item();
    let thread = thread_of(std::slice::from_ref(&question));
    let tx = world.unit_of_work();
    tx.messages.expect_thread_of_first().once().returning(|_, _, ids| {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        assert_eq!(ids, ["<question@example.org>", "<newest@example.org>", "<oldest@example.org>"]);
        Ok(Some(id(10)))
    });
    let locked = thread.clone();
    tx.threads.expect_lock().once().returning(move |_, _, _| Ok(vec![locked.clone()]));
    let stored = expect_storing(tx, Vec::new());
    receive(&world.app(), incoming(&["scout@inboxd.example"], raw(ANSWER))).await.unwrap();

    let answer = stored.messages.only().message.item;
    assert_eq!(answer.thread_id, thread.thread_id);
    assert_eq!(stored.joined.only(), thread.joined_by(&answer));
    assert_eq!(stored.begun.all(), []);
    assert_eq!(stored.usage.only().1[0].1.threads, 0);
}

#[tokio::test]
async fn a_mail_whose_thread_is_not_there_begins_one() {
    for found in [None, Some(id(10))] {
        let mut world = world();
        let tx = world.unit_of_work();
        tx.messages.expect_thread_of_first().once().returning(move |_, _, _| Ok(found));
        tx.threads.expect_lock().times(..=1).returning(|_, _, _| Ok(Vec::new()));
        let stored = expect_storing(tx, Vec::new());
        receive(&world.app(), incoming(&["scout@inboxd.example"], raw(ANSWER))).await.unwrap();
        assert_ne!(stored.begun.only().thread_id, id(10));
        assert_eq!(stored.usage.only().1[0].1.threads, 1);
    }
}
