//! Batched submissions.

use futures_channel::oneshot;
use inboxd_core::app::messages::{Audience, reply, send};
use inboxd_core::app::{App, Letter, SendResult};
use inboxd_core::model::{MessageItem, SendCounts};
use inboxd_core::ports::StoreError;
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, mailbox};
use inboxd_core::{Error, LimitReached, Resource};
use tokio::task::{JoinHandle, yield_now};

use super::{Outbox, expect_caps, expect_sending, expect_storing, sending_world, submission_event};
use crate::app::thread_of;

type Answer = Result<SendResult, Error>;

/// An environment with a submission in progress until the test releases it.
fn busy() -> (World, oneshot::Sender<()>) {
    let mut world = sending_world();
    expect_sending(&mut world);
    let gate = shut(&mut world);
    (world, gate)
}

/// Delays the commit of the unit of work that was prepared last.
fn shut(world: &mut World) -> oneshot::Sender<()> {
    let (gate, opened) = oneshot::channel();
    world.last_unit_of_work().commit_awaits = Some(opened);
    gate
}

/// Runs a send up to the point where it waits.
async fn sending(app: &App, subject: &str) -> JoinHandle<Answer> {
    let letter = Letter {
        to: vec![mailbox("anna@example.org")],
        subject: Some(subject.to_owned()),
        text: Some("Here it is.".to_owned()),
        ..Letter::default()
    };
    let app = app.clone();
    let inbox_id = fixtures::inbox().inbox_id;
    let task = tokio::spawn(async move { send(&app, &fixtures::caller(), &inbox_id, letter, None).await });
    yield_now().await;
    task
}

/// Runs a reply to the message of Anna up to the point where it waits.
async fn answering(app: &App, text: &str) -> JoinHandle<Answer> {
    let letter = Letter { text: Some(text.to_owned()), ..Letter::default() };
    let app = app.clone();
    let (inbox_id, answered) = (fixtures::inbox().inbox_id, fixtures::message_item().message_id);
    let task = tokio::spawn(async move {
        reply(&app, &fixtures::caller(), &inbox_id, &answered, Audience::Sender, letter, None).await
    });
    yield_now().await;
    task
}

fn subjects(outbox: &Outbox) -> Vec<String> {
    outbox.messages.all().into_iter().filter_map(|new| new.message.item.subject).collect()
}

#[tokio::test]
async fn waiting_sends_share_unit_of_work_with_separate_results() {
    let (mut world, gate) = busy();
    let outbox = expect_sending(&mut world);
    let journal = world.journal.clone();
    let app = world.app();
    let first = sending(&app, "first").await;
    let mut waiting = Vec::new();
    for subject in ["a", "b", "c"] {
        waiting.push(sending(&app, subject).await);
    }
    assert_eq!(journal.entries(), []);
    gate.send(()).unwrap();
    first.await.unwrap().unwrap();
    let mut sent = Vec::new();
    for task in waiting {
        sent.push(task.await.unwrap().unwrap());
    }
    assert_eq!(journal.commits(), 2);
    assert_eq!(subjects(&outbox), ["a", "b", "c"]);
    let stored = outbox.messages.all().into_iter().map(|new| {
        let MessageItem { message_id, thread_id, .. } = new.message.item;
        SendResult { message_id, thread_id, held: None }
    });
    assert_eq!(stored.collect::<Vec<_>>(), sent);
    assert_eq!((outbox.events.only().len(), outbox.queued.only().len()), (3, 3));
    assert_eq!((outbox.counted.only(), outbox.usage.only().len(), outbox.begun.all().len()), (3, 3, 3));
}

#[tokio::test]
async fn cap_is_exact_within_batch() {
    let (mut world, gate) = busy();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts { today: 98, this_month: 98 }, 0);
    let outbox = expect_storing(tx);
    let app = world.app();
    let first = sending(&app, "first").await;
    let mut waiting = Vec::new();
    for subject in ["a", "b", "c", "d"] {
        waiting.push(sending(&app, subject).await);
    }
    gate.send(()).unwrap();
    first.await.unwrap().unwrap();
    let mut answers = Vec::new();
    for task in waiting {
        answers.push(task.await.unwrap());
    }
    let is_over = |answer: &Answer| {
        matches!(answer, Err(Error::LimitReached { which: LimitReached::Daily { .. }, limit: 100, .. }))
    };
    assert!(answers[..2].iter().all(Result::is_ok) && answers[2..].iter().all(is_over), "{answers:?}");
    assert_eq!((subjects(&outbox), outbox.counted.only()), (vec!["a".to_owned(), "b".to_owned()], 2));
}

#[tokio::test]
async fn refused_send_uses_no_quota_in_batch() {
    let (mut world, gate) = busy();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts { today: 99, this_month: 99 }, 0);
    let outbox = expect_storing(tx);
    // The thread was deleted concurrently.
    tx.threads.expect_lock_across().once().returning(|_| Ok(Vec::new()));
    world.store.expect_message().returning(|_, _, _, _| Ok(Some(fixtures::message(fixtures::message_item()))));
    let app = world.app();
    let first = sending(&app, "first").await;
    let refused = answering(&app, "Yes.").await;
    let stored = sending(&app, "a").await;
    gate.send(()).unwrap();
    first.await.unwrap().unwrap();
    let refused = refused.await.unwrap();
    assert!(matches!(&refused, Err(Error::NotFound { resource: Resource::Thread, .. })), "{refused:?}");
    stored.await.unwrap().unwrap();
    assert_eq!((subjects(&outbox), outbox.counted.only()), (vec!["a".to_owned()], 1));
}

#[tokio::test]
async fn failed_batch_is_stored_separately() {
    for error in [StoreError::Contention, StoreError::Failed("a value that storage refuses".to_owned())] {
        let (mut world, gate) = busy();
        expect_sending(&mut world);
        world.last_unit_of_work().commit_fails = Some(error.clone());
        let alone = [expect_sending(&mut world), expect_sending(&mut world)];
        let app = world.app();
        let first = sending(&app, "first").await;
        let waiting = [sending(&app, "a").await, sending(&app, "b").await];
        gate.send(()).unwrap();
        first.await.unwrap().unwrap();
        for task in waiting {
            task.await.unwrap().unwrap();
        }
        assert_eq!(alone.map(|outbox| subjects(&outbox)).concat(), ["a", "b"], "{error}");
    }
}

#[tokio::test]
async fn storage_outage_fails_all_sends_of_batch_immediately() {
    let (mut world, gate) = busy();
    expect_sending(&mut world);
    world.last_unit_of_work().commit_fails = Some(StoreError::Unavailable("gone".to_owned()));
    let app = world.app();
    let first = sending(&app, "first").await;
    let waiting = [sending(&app, "a").await, sending(&app, "b").await];
    gate.send(()).unwrap();
    first.await.unwrap().unwrap();
    for task in waiting {
        let answer = task.await.unwrap();
        assert!(matches!(answer, Err(Error::Store(StoreError::Unavailable(_)))), "{answer:?}");
    }
}

#[tokio::test]
async fn replies_in_one_thread_are_stored_sequentially() {
    let (mut world, gate) = busy();
    let thread = thread_of(&[fixtures::message_item()]);
    let mut outboxes = Vec::new();
    for _ in 0..2 {
        outboxes.push(expect_sending(&mut world));
        let found = thread.clone();
        world.last_unit_of_work().threads.expect_lock_across().once().returning(move |_| Ok(vec![found.clone()]));
    }
    world.store.expect_message().returning(|_, _, _, _| Ok(Some(fixtures::message(fixtures::message_item()))));
    let app = world.app();
    let first = sending(&app, "first").await;
    let waiting = [answering(&app, "Yes.").await, answering(&app, "No.").await, sending(&app, "a").await];
    gate.send(()).unwrap();
    first.await.unwrap().unwrap();
    for task in waiting {
        task.await.unwrap().unwrap();
    }
    let texts = |outbox: &Outbox| {
        let of = |new: inboxd_core::model::NewMessage| new.message.body.text.unwrap().trim_end().to_owned();
        outbox.messages.all().into_iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(outboxes.iter().map(texts).collect::<Vec<_>>(), [vec!["Yes.", "Here it is."], vec!["No."]]);
}

#[tokio::test]
async fn follower_of_cancelled_leader_verifies_its_commit() {
    for is_stored in [true, false] {
        let (mut world, gate) = busy();
        expect_sending(&mut world);
        let _never = shut(&mut world);
        world.store.expect_submission_events().once().returning(move |_, keys| {
            let [key] = keys else { panic!("{} submissions", keys.len()) };
            Ok(vec![is_stored.then(|| submission_event(&key.message_id, None))])
        });
        let journal = world.journal.clone();
        let app = world.app();
        let first = sending(&app, "first").await;
        let (leader, follower) = (sending(&app, "a").await, sending(&app, "b").await);
        gate.send(()).unwrap();
        first.await.unwrap().unwrap();
        yield_now().await;
        leader.abort();
        assert!(leader.await.unwrap_err().is_cancelled());
        let answer = follower.await.unwrap();
        if is_stored {
            answer.unwrap();
        } else {
            assert!(matches!(answer, Err(Error::Store(StoreError::Unavailable(_)))), "{answer:?}");
        }
        assert_eq!(journal.commits(), 1, "that of the first message");
    }
}

#[tokio::test]
async fn undecided_commits_of_batch_are_verified_together() {
    let (mut world, gate) = busy();
    let thread = thread_of(&[fixtures::message_item()]);
    expect_sending(&mut world);
    let tx = world.last_unit_of_work();
    tx.threads.expect_lock_across().once().returning(move |_| Ok(vec![thread.clone()]));
    tx.commit_fails = Some(StoreError::Undecided("broken".to_owned()));
    world.store.expect_message().returning(|_, _, _, _| Ok(Some(fixtures::message(fixtures::message_item()))));
    world.store.expect_submission_events().once().returning(|_, keys| {
        let [stored, _] = keys else { panic!("{} submissions", keys.len()) };
        Ok(vec![Some(submission_event(&stored.message_id, None)), None])
    });
    let app = world.app();
    let first = sending(&app, "first").await;
    // The second reply would need another unit of work, which is not tried.
    let waiting = [answering(&app, "Yes.").await, answering(&app, "No.").await, sending(&app, "a").await];
    gate.send(()).unwrap();
    first.await.unwrap().unwrap();
    let mut answers = Vec::new();
    for task in waiting {
        answers.push(task.await.unwrap());
    }
    let is_absent = |answer: &Answer| matches!(answer, Err(Error::Store(StoreError::Unavailable(_))));
    assert!(answers[0].is_ok() && answers[1..].iter().all(is_absent), "{answers:?}");
}
