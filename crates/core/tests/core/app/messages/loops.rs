use inboxd_core::app::Letter;
use inboxd_core::app::messages::{Audience, reply};
use inboxd_core::model::{Caller, Message, SendCounts, SendResult};
use inboxd_core::rules::loops::{ExhaustedLoopBudget, THREAD_BUDGET, THREAD_WINDOW};
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, NOW, address};
use inboxd_core::{Error, LoopRefusal};
use time::Duration;

use super::{expect_caps, expect_sending, sending_world};
use crate::app::{holds_sending_inbox, thread_of};

fn automatic() -> Message {
    let mut message = fixtures::message(fixtures::message_item());
    message.body.headers = vec![("Auto-Submitted".to_owned(), "auto-replied".to_owned())];
    message
}

fn world_with(answered: &Message) -> World {
    let mut world = sending_world();
    let found = answered.clone();
    world.store.expect_message().returning(move |_, _, _, _| Ok(Some(found.clone())));
    world
}

/// An environment in which one reply is sent.
fn answering(answered: &Message) -> World {
    let mut world = world_with(answered);
    expect_sending(&mut world);
    let thread = thread_of(std::slice::from_ref(&answered.item));
    world.last_unit_of_work().threads.expect_lock_across().once().returning(move |_| Ok(vec![thread.clone()]));
    world
}

async fn answer(world: World, caller: &Caller, letter: Letter) -> Result<SendResult, Error> {
    let (inbox_id, id) = (fixtures::inbox().inbox_id, fixtures::message_item().message_id);
    reply(&world.app(), caller, &inbox_id, &id, Audience::Sender, letter, None).await
}

#[tokio::test]
async fn automatic_reply_is_replied_by_people_and_explicit_keys() {
    let (key, maria) = (fixtures::caller(), fixtures::calling(&fixtures::member()));
    let refused = answer(world_with(&automatic()), &key, Letter::default()).await;
    assert!(matches!(refused, Err(Error::Loop(LoopRefusal::Automatic { .. }))), "{refused:?}");
    let meant = Letter { allow_automatic: true, ..Letter::default() };
    answer(answering(&automatic()), &key, meant).await.unwrap();
    answer(answering(&automatic()), &maria, Letter::default()).await.unwrap();
}

#[tokio::test]
async fn key_with_exhausted_loop_budget_cannot_send_to_thread() {
    let question = fixtures::message(fixtures::message_item());
    let mut world = world_with(&question);
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    holds_sending_inbox(tx);
    let thread = thread_of(std::slice::from_ref(&question.item));
    tx.threads.expect_lock_across().once().returning(move |_| Ok(vec![thread.clone()]));
    tx.messages.expect_spent_budgets().once().returning(|_, _, thread_id, addresses, after, budget| {
        assert_eq!(thread_id, fixtures::message_item().thread_id);
        assert_eq!(
            (addresses, after, budget),
            (&[address("anna@example.org")][..], NOW - THREAD_WINDOW, THREAD_BUDGET)
        );
        Ok(vec![ExhaustedLoopBudget { address: "anna@example.org".to_owned(), oldest: NOW - Duration::HOUR }])
    });
    let journal = world.journal.clone();
    let meant = Letter { allow_automatic: true, ..Letter::default() };
    let refused = answer(world, &fixtures::caller(), meant).await;
    let Err(Error::Loop(LoopRefusal::BudgetReached { recipient, until })) = refused else { panic!("{refused:?}") };
    assert_eq!((recipient.as_str(), until), ("anna@example.org", NOW - Duration::HOUR + THREAD_WINDOW));
    assert_eq!(journal.commits(), 0);
}
