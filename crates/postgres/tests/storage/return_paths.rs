use std::collections::BTreeSet;

use inboxd_core::model::outgoing::SentMessage;
use inboxd_core::model::return_path::{ReportedStatus, SentMail, SentTo};
use inboxd_core::model::{HidingLabels, NewMail, OutgoingId, QueuedMail, Route, SendCounts, Thread};
use inboxd_core::ports::{ReturnPathReads, ThreadReads};

use crate::outgoing::{claim_as, enqueue, of_message, outgoing, outgoing_id, wanted};
use crate::support::*;

/// Queues the outgoing mail of a message.
fn leaving(world: &World, number: u128) -> QueuedMail {
    QueuedMail { route: Route::Remote, ..of_message(world, number) }
}

/// The initial record of a sent mail.
fn known(mail: &QueuedMail) -> SentMail {
    let to =
        |address: &inboxd_mail::EmailAddress| SentTo { address: address.clone(), reported: ReportedStatus::default() };
    SentMail {
        outgoing_id: mail.outgoing_id,
        organization_id: mail.organization_id,
        message: mail.message.clone().unwrap(),
        recipients: mail.recipients.iter().map(to).collect(),
    }
}

#[tokio::test]
async fn sent_mail_is_recorded_until_purge() {
    let world = world().await;
    let mails = [leaving(&world, 1), leaving(&world, 2), leaving(&world, 3)];
    enqueue(&world, &mails).await;
    for mail in &mails {
        assert_eq!(world.store.sent_mail(mail.outgoing_id).await.unwrap(), Some(known(mail)));
    }
    let mut tx = world.begin().await;
    assert_eq!(tx.return_paths().forget(outgoing_id(3), 1).await.unwrap(), 1);
    assert_eq!(tx.return_paths().forget(outgoing_id(3), 10).await.unwrap(), 1);
    assert_eq!(tx.return_paths().forget(outgoing_id(3), 10).await.unwrap(), 0);
    tx.commit().await.unwrap();
    assert_eq!(world.store.sent_mail(outgoing_id(2)).await.unwrap(), None);
    assert!(world.store.sent_mail(outgoing_id(3)).await.unwrap().is_some());
}

#[tokio::test]
async fn local_and_system_mail_is_not_recorded() {
    let world = world().await;
    enqueue(&world, &[of_message(&world, 1), outgoing(&world, 2)]).await;
    for number in 1..=3 {
        assert_eq!(world.store.sent_mail(outgoing_id(number)).await.unwrap(), None);
    }
}

#[tokio::test]
async fn reported_statuses_of_recipients_are_stored() {
    let world = world().await;
    enqueue(&world, &[leaving(&world, 1), leaving(&world, 2)]).await;
    let mut tx = world.begin().await;
    let mut mail = tx.return_paths().lock(world.organization_id(), outgoing_id(1)).await.unwrap().unwrap();
    mail.recipients[1].reported = ReportedStatus { delayed: true, failed: true, complained: false, unnamed: true };
    tx.return_paths().store_reported(&mail).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.store.sent_mail(outgoing_id(1)).await.unwrap(), Some(mail));
    assert_eq!(world.store.sent_mail(outgoing_id(2)).await.unwrap(), Some(known(&leaving(&world, 2))));
}

#[tokio::test]
async fn sent_mail_is_locked_within_its_organization() {
    let world = world().await;
    enqueue(&world, &[leaving(&world, 1)]).await;
    let other = organization(2, "other@example.org");
    let mut tx = world.begin().await;
    assert_eq!(tx.return_paths().lock(other.organization_id, outgoing_id(1)).await.unwrap(), None);
    assert!(tx.return_paths().lock(world.organization_id(), outgoing_id(1)).await.unwrap().is_some());
    let reader = async {
        let mut second = world.begin().await;
        second.return_paths().lock(world.organization_id(), outgoing_id(1)).await.unwrap().unwrap()
    };
    let teller = async {
        world.until_one_waits().await;
        let mut mail = known(&leaving(&world, 1));
        mail.recipients[0].reported.complained = true;
        tx.return_paths().store_reported(&mail).await.unwrap();
        tx.commit().await.unwrap();
    };
    let (seen, ()) = tokio::join!(reader, teller);
    assert!(seen.recipients[0].reported.complained, "a waiting reader sees the reported status");
}

#[tokio::test]
async fn sent_mail_has_original_message_id() {
    let world = world().await;
    enqueue(&world, &[leaving(&world, 7)]).await;
    let SentMessage { pod_id, inbox_id, thread_id: thread, message_id: message } =
        world.store.sent_mail(outgoing_id(7)).await.unwrap().unwrap().message;
    assert_eq!((pod_id, &inbox_id), (world.inbox.pod_id, world.inbox_id()));
    assert_eq!((thread, message), (thread_id(7), message_id("7")));
}

#[tokio::test]
async fn message_is_stored_with_queue_and_counted() {
    let world = world().await;
    let begins = world.mail(1);
    let thread = Thread::started_by(&begins.message.item);
    let mut answers = world.mail(2);
    answers.message.item.thread_id = thread.thread_id;
    let joined = thread.clone().joined_by(&answers.message.item);
    let letters = [
        NewMail { begun: vec![thread.clone()], messages: vec![begins], ..NewMail::default() },
        NewMail { joined: vec![joined.clone()], messages: vec![answers], ..NewMail::default() },
    ];
    for (number, letter) in (1..).zip(letters) {
        let mut tx = world.begin().await;
        tx.threads().lock(world.organization_id(), world.inbox_id(), &[thread.thread_id]).await.unwrap();
        let queued = vec![leaving(&world, number), of_message(&world, number + 10)];
        let sends = vec![(world.organization_id(), at(0).date(), 1)];
        let letter = NewMail { queued, sends, ..letter };
        tx.commit_with(&letter).await.unwrap();
        let [leaving, stays] = letter.queued.try_into().unwrap();
        assert_eq!(world.store.sent_mail(leaving.outgoing_id).await.unwrap(), Some(known(&leaving)));
        assert_eq!(world.store.sent_mail(stays.outgoing_id).await.unwrap(), None);
    }
    let read = world.store.thread(world.organization_id(), world.inbox_id(), thread.thread_id, HidingLabels::ALL).await;
    assert_eq!(read.unwrap(), Some(joined));
    let claimed = claim_as(&world, &wanted(1_000, 10)).await;
    let ids: BTreeSet<OutgoingId> = claimed.iter().map(|mail| mail.outgoing_id).collect();
    assert_eq!(ids, [1, 2, 11, 12].map(outgoing_id).into());
    let counts = world.begin().await.usage().sends(world.organization_id(), at(0).date()).await.unwrap();
    assert_eq!(counts, SendCounts { today: 2, this_month: 2 });
}
