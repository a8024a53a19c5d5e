//! Batched inbound mail.

use std::pin::Pin;

use futures_channel::oneshot::{Sender, channel};
use futures_util::FutureExt;
use inboxd_core::app::{App, Arrived, IncomingMail, NotReceived, receive};
use inboxd_core::model::MessageId;
use inboxd_core::ports::{ArrivalQuery, OnArrival, StoreError};
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{address, message_id};

use super::{Stored, capture, expect_failing, expect_storing, incoming, raw, world};

type Answer = Result<Arrived, NotReceived>;
type Receiving<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// A mail with these fields to the inbox of scout.
fn mail(fields: &[(&str, &str)]) -> IncomingMail {
    incoming(&["scout@inboxd.example"], raw(fields))
}

/// Prepares the unit of work of a mail with a commit that waits for the sender.
fn expect_slow_commit(world: &mut World) -> Sender<()> {
    let (end, waited) = channel();
    let tx = world.unit_of_work();
    expect_storing(tx, Vec::new());
    tx.commit_awaits = Some(waited);
    end
}

/// Receives the first mail, and the others while it is being stored.
async fn receive_together(app: &App, end: Sender<()>, mails: Vec<IncomingMail>) -> Vec<Answer> {
    let receiving = begin(app, mails);
    end.send(()).unwrap();
    let mut answers = Vec::new();
    for received in receiving {
        answers.push(received.await);
    }
    answers
}

/// Starts to receive a separate mail, which occupies the only shard, and these after it.
fn begin(app: &App, mails: Vec<IncomingMail>) -> Vec<Receiving<'_>> {
    let first = mail(&[("Message-ID", "<first@example.org>")]);
    let mut receiving: Vec<Receiving<'_>> =
        std::iter::once(first).chain(mails).map(|mail| receive(app, mail).boxed()).collect();
    for received in &mut receiving {
        assert_eq!(received.as_mut().now_or_never(), None);
    }
    receiving
}

/// Receives these mails while another one is being stored, and returns their results.
async fn stored_together(mails: Vec<IncomingMail>) -> (Vec<Answer>, Stored, usize) {
    let mut world = world();
    let end = expect_slow_commit(&mut world);
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    let journal = world.journal.clone();
    let answers = receive_together(&world.app(), end, mails).await;
    (answers, stored, journal.commits())
}

fn ids(answer: &Answer) -> Vec<MessageId> {
    answer.as_ref().unwrap().messages.iter().map(|(_, id)| id.clone()).collect()
}

#[tokio::test]
async fn batched_mails_share_unit_of_work_with_separate_results() {
    let mails = ["<a@example.org>", "<b@example.org>", "<c@example.org>"].map(|id| mail(&[("Message-ID", id)]));
    let (answers, stored, commits) = stored_together(mails.to_vec()).await;
    let heard: Vec<Vec<MessageId>> = answers.iter().map(ids).collect();
    let expected = ["<first@example.org>", "<a@example.org>", "<b@example.org>", "<c@example.org>"];
    assert_eq!(heard, expected.map(|id| vec![message_id(id)]));
    assert_eq!((stored.messages.all().len(), stored.begun.all().len(), commits), (3, 3, 2));
    assert_eq!((stored.events.only().len(), stored.usage.only().len()), (3, 3));
}

#[tokio::test]
async fn retransmission_within_batch_is_stored_once() {
    let again = mail(&[("Message-ID", "<a@example.org>")]);
    let (answers, stored, _) = stored_together(vec![again.clone(), again]).await;
    assert_eq!((ids(&answers[1]), ids(&answers[2])), (vec![message_id("<a@example.org>")], vec![]));
    assert_eq!((stored.messages.all().len(), stored.events.only().len()), (1, 1));
}

#[tokio::test]
async fn different_mail_with_same_message_id_in_batch_gets_new_id_once() {
    let one = mail(&[("Message-ID", "<a@example.org>")]);
    let other = mail(&[("Message-ID", "<a@example.org>"), ("X-Other", "yes")]);
    let (answers, stored, _) = stored_together(vec![one, other.clone(), other]).await;
    let messages = stored.messages.all();
    assert_eq!(messages[1].header_message_id, Some(message_id("<a@example.org>")));
    assert_eq!((ids(&answers[2]).len(), ids(&answers[3]).len(), messages.len()), (1, 0, 2));
}

#[tokio::test]
async fn reply_within_batch_joins_thread() {
    let question = mail(&[("Message-ID", "<a@example.org>")]);
    let answer = mail(&[("Message-ID", "<b@example.org>"), ("In-Reply-To", "<a@example.org>")]);
    let last = mail(&[("Message-ID", "<c@example.org>"), ("References", "<b@example.org>")]);
    let (_, stored, _) = stored_together(vec![question, answer, last]).await;
    let thread = stored.begun.only();
    let threads: Vec<_> = stored.messages.all().into_iter().map(|new| new.message.item.thread_id).collect();
    assert_eq!((threads, thread.message_count), (vec![thread.thread_id; 3], 3));
    assert_eq!(thread.last_message_id, message_id("<c@example.org>"));
    assert_eq!(stored.usage.only().iter().map(|(_, _, change)| change.threads).collect::<Vec<_>>(), [1, 0, 0]);
}

#[tokio::test]
async fn mail_to_deleted_inbox_does_not_fail_batch() {
    let mut world = world();
    let end = expect_slow_commit(&mut world);
    let tx = world.unit_of_work();
    let one_lives = |query: &ArrivalQuery| {
        let mut held = query.inboxes.clone();
        held.retain(|inbox| inbox.inbox_id.as_str() == "scout@inboxd.example");
        Ok(OnArrival { held, ..OnArrival::default() })
    };
    tx.inbound.expect_look_up().once().returning(one_lives);
    let stored = capture(tx);
    // The shard follows from the first inbox in order of ids.
    let both = ["scout@inboxd.example", "scouts@inboxd.example"];
    let gone = incoming(&both, raw(&[("Message-ID", "<a@example.org>")]));
    let other = mail(&[("Message-ID", "<b@example.org>")]);
    let answers = receive_together(&world.app(), end, vec![gone, other]).await;
    assert_eq!(answers[1], Err(NotReceived::OneIsGone(address("scouts@inboxd.example"))));
    assert_eq!(ids(&answers[2]), [message_id("<b@example.org>")]);
    assert_eq!(stored.messages.only().message.item.message_id, message_id("<b@example.org>"));
}

#[tokio::test]
async fn failed_batch_is_stored_separately() {
    for error in [StoreError::Contention, StoreError::Failed("a value was refused".to_owned())] {
        let mut world = world();
        let end = expect_slow_commit(&mut world);
        expect_failing(&mut world, error.clone());
        let refused = StoreError::Failed("this value".to_owned());
        expect_failing(&mut world, refused.clone());
        let stored = expect_storing(world.unit_of_work(), Vec::new());
        let mails = ["<a@example.org>", "<b@example.org>"].map(|id| mail(&[("Message-ID", id)]));
        let answers = receive_together(&world.app(), end, mails.to_vec()).await;
        assert_eq!(answers[1], Err(NotReceived::Store(refused)));
        assert_eq!(ids(&answers[2]), [message_id("<b@example.org>")]);
        assert_eq!(stored.messages.all().len(), 1);
    }
}

#[tokio::test]
async fn storage_failure_is_returned_to_whole_batch() {
    for error in [StoreError::Unavailable("gone".to_owned()), StoreError::Undecided("gone".to_owned())] {
        let mut world = world();
        let end = expect_slow_commit(&mut world);
        expect_failing(&mut world, error.clone());
        let mails = ["<a@example.org>", "<b@example.org>"].map(|id| mail(&[("Message-ID", id)]));
        let answers = receive_together(&world.app(), end, mails.to_vec()).await;
        assert_eq!(answers[1..], [(); 2].map(|()| Err(NotReceived::Store(error.clone()))));
    }
}

#[tokio::test]
async fn cancelled_batch_confirms_no_mail() {
    let mut world = world();
    let end = expect_slow_commit(&mut world);
    let never = expect_slow_commit(&mut world);
    expect_storing(world.unit_of_work(), Vec::new());
    let app = world.app();
    let mails = ["<a@example.org>", "<b@example.org>"].map(|id| mail(&[("Message-ID", id)]));
    let mut receiving = begin(&app, mails.to_vec());
    let (follower, mut leader, first) = (receiving.pop().unwrap(), receiving.pop().unwrap(), receiving.pop().unwrap());
    end.send(()).unwrap();
    assert!(first.await.is_ok());
    assert_eq!(leader.as_mut().now_or_never(), None);
    drop(leader);
    assert!(matches!(follower.await, Err(NotReceived::Store(StoreError::Undecided(_)))));
    // The shard is free again.
    assert_eq!(ids(&receive(&app, mail(&[("Message-ID", "<c@example.org>")])).await), [message_id("<c@example.org>")]);
    drop(never);
}

#[tokio::test]
async fn lock_timeout_of_one_mail_does_not_delay_batch() {
    let mut world = world();
    let end = expect_slow_commit(&mut world);
    expect_failing(&mut world, StoreError::LockTimeout);
    expect_failing(&mut world, StoreError::LockTimeout);
    let other = expect_storing(world.unit_of_work(), Vec::new());
    expect_failing(&mut world, StoreError::LockTimeout);
    let locked = expect_storing(world.unit_of_work(), Vec::new());
    let mails = ["<a@example.org>", "<b@example.org>"].map(|id| mail(&[("Message-ID", id)]));
    let answers = receive_together(&world.app(), end, mails.to_vec()).await;
    assert_eq!(
        (ids(&answers[1]), ids(&answers[2])),
        (vec![message_id("<a@example.org>")], vec![message_id("<b@example.org>")])
    );
    assert_eq!(other.messages.only().message.item.message_id, message_id("<b@example.org>"));
    assert_eq!(locked.messages.only().message.item.message_id, message_id("<a@example.org>"));
}
