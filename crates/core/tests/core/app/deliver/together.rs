//! Batched recording of several attempts.

use std::future::ready;
use std::sync::Arc;

use futures_channel::oneshot;
use inboxd_core::Error;
use inboxd_core::app::{App, Delivered, settle_delivery};
use inboxd_core::model::outgoing::SentMessage;
use inboxd_core::model::{ClaimedMail, DeliveryOutcome, MessageItem, QueuedMail, Route};
use inboxd_core::ports::StoreError;
use inboxd_core::testing::fixtures::{id, message_id};
use inboxd_core::testing::{Captured, MockTx, World};
use tokio::task::{JoinHandle, yield_now};

use super::{delivery, expect_settling, mail, sent_item, world};
use crate::app::thread_of;

/// One of several queued mails in one thread.
fn numbered(number: u128) -> QueuedMail {
    let one = mail(Route::Remote, &["anna@example.org"]);
    let message = one.message.clone().map(|message| SentMessage { message_id: item(number).message_id, ..message });
    QueuedMail { outgoing_id: id(number), message, ..one }
}

fn item(number: u128) -> MessageItem {
    MessageItem { message_id: message_id(&format!("<{number}@inboxd.example>")), ..sent_item() }
}

async fn settling(app: &Arc<App>, number: u128) -> JoinHandle<Result<Delivered, Error>> {
    let app = Arc::clone(app);
    let task = tokio::spawn(async move {
        settle_delivery(&app, &numbered(number), &[DeliveryOutcome::Delivered.into()], ready(())).await
    });
    yield_now().await;
    task
}

/// An environment with a recording in progress until the test releases it.
fn busy() -> (World, oneshot::Sender<()>) {
    let mut world = world();
    let tx = world.unit_of_work();
    tx.outgoing.expect_remove().once().returning(|claims| Ok(claims.to_vec()));
    expect_settling(tx);
    let (gate, opened) = oneshot::channel();
    tx.commit_awaits = Some(opened);
    (world, gate)
}

/// The messages of one thread exist.
fn has_messages(tx: &mut MockTx, numbers: &'static [u128]) {
    tx.threads.expect_lock_across().once().returning(|keys| {
        assert_eq!(keys.iter().map(|key| key.thread_id).collect::<Vec<_>>(), [id(10)]);
        Ok(vec![thread_of(&[sent_item()])])
    });
    tx.messages.expect_items().once().returning(|_, _, asked| {
        Ok(numbers.iter().map(|number| item(*number)).filter(|item| asked.contains(&item.message_id)).collect())
    });
}

#[tokio::test]
async fn outcomes_of_one_thread_share_unit_of_work_and_label_update() {
    let (mut world, gate) = busy();
    let tx = world.unit_of_work();
    has_messages(tx, &[1, 2, 3]);
    let removed = Captured::<ClaimedMail>::default();
    let seen = removed.clone();
    tx.outgoing.expect_remove().once().returning(move |claims| {
        for claim in claims {
            seen.push(*claim);
        }
        // The lease of one of them has expired.
        Ok(claims.iter().copied().filter(|claim| claim.outgoing_id != id(2)).collect())
    });
    let settled = expect_settling(tx);
    let journal = world.journal.clone();
    let app = Arc::new(world.app());
    let first = settling(&app, 9).await;
    let waiting = [settling(&app, 1).await, settling(&app, 2).await, settling(&app, 3).await];
    gate.send(()).unwrap();
    let one = Delivered { delivered: 1, ..Delivered::default() };
    assert_eq!(first.await.unwrap().unwrap(), one);
    let mut answers = Vec::new();
    for task in waiting {
        answers.push(task.await.unwrap().unwrap());
    }
    assert_eq!(answers, [one.clone(), Delivered::default(), one], "an attempt with a lost claim appends no event");
    assert_eq!((journal.commits(), removed.all().len()), (2, 3));
    assert_eq!(settled.bodies(), [delivery(&["anna@example.org"]), delivery(&["anna@example.org"])]);
    let labelled: Vec<_> =
        settled.labelled.all().into_iter().map(|item| (item.message_id, item.labels.to_vec())).collect();
    let labels = || vec!["delivered".to_owned(), "sent".to_owned()];
    assert_eq!(labelled, [(item(1).message_id, labels()), (item(3).message_id, labels())]);
    assert!(settled.thread.only().labels.contains("delivered"));
}

#[tokio::test]
async fn failed_batch_is_recorded_separately() {
    let (mut world, gate) = busy();
    for (numbers, fails) in [(&[1, 2][..], Some(StoreError::Contention)), (&[1], None), (&[2], None)] {
        let tx = world.unit_of_work();
        has_messages(tx, numbers);
        expect_settling(tx);
        tx.commit_fails = fails;
    }
    let journal = world.journal.clone();
    let app = Arc::new(world.app());
    let first = settling(&app, 9).await;
    let waiting = [settling(&app, 1).await, settling(&app, 2).await];
    gate.send(()).unwrap();
    first.await.unwrap().unwrap();
    for task in waiting {
        assert_eq!(task.await.unwrap().unwrap().delivered, 1);
    }
    assert_eq!(journal.commits(), 3);
}

#[tokio::test]
async fn outcomes_return_to_workers_during_storage_outage() {
    let (mut world, gate) = busy();
    let tx = world.unit_of_work();
    has_messages(tx, &[1, 2]);
    expect_settling(tx);
    let lost = StoreError::Undecided("broken".to_owned());
    tx.commit_fails = Some(lost.clone());
    let app = Arc::new(world.app());
    let first = settling(&app, 9).await;
    let waiting = [settling(&app, 1).await, settling(&app, 2).await];
    gate.send(()).unwrap();
    first.await.unwrap().unwrap();
    for task in waiting {
        let answer = task.await.unwrap();
        assert!(matches!(&answer, Err(Error::Store(error)) if *error == lost), "{answer:?}");
    }
}
