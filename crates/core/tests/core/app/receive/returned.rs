use inboxd_core::app::{
    Arrived, Client, Fate, IncomingMail, NotReceived, Place, Recipient, Returned, forget_sent_mail, receive, recipient,
};
use inboxd_core::model::outgoing::SentMessage;
use inboxd_core::model::return_path::{ReportedStatus, SentMail, SentTo};
use inboxd_core::model::{
    AuthResult, Domain, Event, EventBody, EventType, Locality, MessageItem, OutgoingId, RecipientStatus, Suppression,
    SuppressionReason, Thread,
};
use inboxd_core::ports::{SpfEvidence, StoreError};
use inboxd_core::rules::return_paths::{first_id_of, local_part};
use inboxd_core::testing::fixtures::{self, NOW, address, id, message_id};
use inboxd_core::testing::{Captured, World};
use inboxd_mail::EmailAddress;
use time::Duration;

use super::{FRESH, expect_storing, incoming, raw, world};
use crate::app::thread_of;

fn return_path(outgoing_id: OutgoingId, domain: &str) -> EmailAddress {
    let key = World::default().settings.signing_key;
    address(&format!("{}@{domain}", local_part(&key, outgoing_id)))
}

fn sent(reported: ReportedStatus) -> SentMail {
    SentMail {
        outgoing_id: id(40),
        organization_id: id(1),
        message: SentMessage {
            pod_id: id(2),
            inbox_id: fixtures::inbox().inbox_id,
            thread_id: id(10),
            message_id: message_id("<sent@inboxd.example>"),
        },
        recipients: vec![SentTo { address: address("anna@example.org"), reported }],
    }
}

fn failure() -> Vec<u8> {
    b"From: mailer-daemon@example.org\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\
      Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; example.org\r\n\r\n\
      Final-Recipient: rfc822; anna@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--b--\r\n"
        .to_vec()
}

fn complaint() -> Vec<u8> {
    b"From: fbl@example.org\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\
      Content-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nVersion: 1\r\n\r\n--b--\r\n"
        .to_vec()
}

fn report(recipients: &[&str], raw: Vec<u8>) -> IncomingMail {
    let mut mail = IncomingMail { envelope_from: None, ..incoming(recipients, raw) };
    let address = return_path(id(40), "inboxd.example");
    mail.recipients.push(Recipient { address, place: Place::ReturnPath(id(40)) });
    mail
}

/// An environment in which mail 40 is known and has these reported statuses.
fn world_with(reported: ReportedStatus) -> World {
    let mut world = world();
    world.store.expect_sent_mail().returning(move |outgoing_id| {
        assert_eq!(outgoing_id, id(40));
        Ok(Some(sent(reported)))
    });
    world
}

#[derive(Default)]
struct Done {
    events: Captured<Vec<Event>>,
    reported: Captured<SentMail>,
    suppressed: Captured<Suppression>,
    labelled: Captured<MessageItem>,
    thread: Captured<Thread>,
}

/// Expects that a report is processed; the message exists or was deleted.
fn expect_taking(world: &mut World, reported: ReportedStatus, has_message: bool) -> Done {
    let done = Done::default();
    let tx = world.unit_of_work();
    let item = MessageItem {
        message_id: message_id("<sent@inboxd.example>"),
        labels: ["sent"].into_iter().collect(),
        ..fixtures::message_item()
    };
    let thread = thread_of(std::slice::from_ref(&item));
    tx.threads
        .expect_lock()
        .once()
        .returning(move |_, _, _| Ok(vec![thread.clone()].split_off(usize::from(!has_message))));
    tx.messages.expect_items().times(..=1).returning(move |_, _, _| Ok(vec![item.clone()]));
    tx.return_paths.expect_lock().once().returning(move |_, _| Ok(Some(sent(reported))));
    let seen = done.reported.clone();
    tx.return_paths.expect_store_reported().times(..=1).returning(move |mail| {
        seen.push(mail.clone());
        Ok(())
    });
    let seen = done.suppressed.clone();
    tx.suppressions.expect_add().returning(move |suppression| {
        seen.push(suppression.clone());
        Ok(())
    });
    let seen = done.labelled.clone();
    tx.messages.expect_update_labels().times(..=1).returning(move |items| {
        seen.push(items[0].clone());
        Ok(())
    });
    let seen = done.thread.clone();
    tx.threads.expect_update().times(..=1).returning(move |threads| {
        for thread in threads {
            seen.push(thread.clone());
        }
        Ok(())
    });
    let seen = done.events.clone();
    tx.events.expect_append().times(..=1).returning(move |events| {
        seen.push(events.to_vec());
        Ok(())
    });
    done
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with what receiving answers")]
fn only(fate: Fate) -> Result<Arrived, NotReceived> {
    let SentMail { outgoing_id, organization_id, message, .. } = sent(ReportedStatus::default());
    let of = Some((organization_id, message)).filter(|_| fate != Fate::Unknown);
    let returned = vec![Returned { outgoing_id, of, fate }];
    Ok(Arrived { messages: Vec::new(), returned, aggregate: Vec::new(), is_held: false })
}

#[tokio::test]
async fn failure_report_yields_event_label_and_suppression_without_message() {
    let mut world = world_with(ReportedStatus::default());
    let done = expect_taking(&mut world, ReportedStatus::default(), true);
    let journal = world.journal.clone();
    assert_eq!(receive(&world.app(), report(&[], failure())).await, only(Fate::Recorded));
    let event = done.events.only().remove(0);
    let recipients = vec![RecipientStatus { address: "anna@example.org".to_owned(), status: "5.1.1".to_owned() }];
    let body = EventBody::Bounce { kind: "Permanent".to_owned(), sub_type: "NoEmail".to_owned(), recipients };
    assert_eq!((event.event_type, event.body), (EventType::MessageBounced, body));
    assert_eq!((event.pod_id, event.thread_id, event.created_at), (Some(id(2)), Some(id(10)), NOW));
    assert_eq!(event.message_id, Some(message_id("<sent@inboxd.example>")));
    assert_eq!(done.labelled.only().labels.to_vec(), ["bounced", "sent"]);
    assert!(done.thread.only().labels.contains("bounced"));
    let suppression = done.suppressed.only();
    assert_eq!((suppression.address, suppression.reason), (address("anna@example.org"), SuppressionReason::Bounce));
    assert!(done.reported.only().recipients[0].reported.failed);
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn complaint_is_accepted_from_any_sender() {
    let mut world = world_with(ReportedStatus::default());
    let done = expect_taking(&mut world, ReportedStatus::default(), true);
    let mail = IncomingMail { envelope_from: Some(address("fbl@example.org")), ..report(&[], complaint()) };
    assert_eq!(receive(&world.app(), mail).await, only(Fate::Recorded));
    let event = done.events.only().remove(0);
    let body = EventBody::Complaint {
        kind: "abuse".to_owned(),
        sub_type: "General".to_owned(),
        recipients: vec!["anna@example.org".to_owned()],
    };
    assert_eq!((event.event_type, event.body), (EventType::MessageComplained, body));
    assert_eq!(done.suppressed.only().reason, SuppressionReason::Complaint);
    assert_eq!(done.labelled.only().labels.to_vec(), ["complained", "sent"]);
}

#[tokio::test]
async fn report_of_several_recipients_suppresses_those_of_authenticated_domain() {
    for (result, is_suppressed) in [(AuthResult::None, false), (AuthResult::Pass, true)] {
        let mut world = world();
        let mut mail = sent(ReportedStatus::default());
        mail.recipients.push(SentTo { address: address("ben@example.net"), reported: ReportedStatus::default() });
        let known = mail.clone();
        world.store.expect_sent_mail().returning(move |_| Ok(Some(known.clone())));
        world.authenticator.0.spf = SpfEvidence { result, domain: "mx.example.org".to_owned(), of_helo: true };
        let suppressed = Captured::default();
        let seen = suppressed.clone();
        let tx = world.unit_of_work();
        tx.threads.expect_lock().once().returning(|_, _, _| Ok(Vec::new()));
        tx.return_paths.expect_lock().once().returning(move |_, _| Ok(Some(mail.clone())));
        tx.return_paths.expect_store_reported().once().returning(|_| Ok(()));
        tx.suppressions.expect_add().returning(move |suppression| {
            seen.push(suppression.clone());
            Ok(())
        });
        tx.events.expect_append().once().returning(|_| Ok(()));
        let client = Client { ip: [192, 0, 2, 1].into(), helo: "mx.example.org".to_owned(), protocol: "ESMTP" };
        let mail = IncomingMail { client: Some(client), ..report(&[], failure()) };
        assert_eq!(receive(&world.app(), mail).await, only(Fate::Recorded));
        assert_eq!(suppressed.all().len(), usize::from(is_suppressed), "{result:?}");
    }
}

#[tokio::test]
async fn report_of_deleted_message_counts() {
    let mut world = world_with(ReportedStatus::default());
    let done = expect_taking(&mut world, ReportedStatus::default(), false);
    assert_eq!(receive(&world.app(), report(&[], failure())).await, only(Fate::Recorded));
    assert_eq!((done.events.only().len(), done.suppressed.all().len(), done.labelled.all().len()), (1, 1, 0));
}

#[tokio::test]
async fn report_without_news_changes_nothing() {
    let reported = ReportedStatus { failed: true, ..ReportedStatus::default() };
    let mut world = world_with(reported);
    let done = expect_taking(&mut world, reported, true);
    let journal = world.journal.clone();
    assert_eq!(receive(&world.app(), report(&[], failure())).await, only(Fate::AlreadyRecorded));
    assert_eq!((done.events.all().len(), done.reported.all().len(), journal.commits()), (0, 0, 0));
}

#[tokio::test]
async fn report_of_unknown_mail_is_accepted_and_discarded() {
    let mut world = world();
    world.store.expect_sent_mail().once().returning(|_| Ok(None));
    assert_eq!(receive(&world.app(), report(&[], failure())).await, only(Fate::Unknown));
}

#[tokio::test]
async fn ordinary_mail_to_return_path_is_refused_except_from_null_sender() {
    let away = || raw(&[("Auto-Submitted", "auto-replied")]);
    assert_eq!(
        receive(&world_with(ReportedStatus::default()).app(), report(&[], away())).await,
        only(Fate::NotUnderstood)
    );
    let from_anna = |recipients: &[&str]| IncomingMail {
        envelope_from: Some(address("anna@example.org")),
        ..report(recipients, away())
    };
    for recipients in [&[][..], &["scout@inboxd.example"]] {
        assert_eq!(receive(&world().app(), from_anna(recipients)).await, Err(NotReceived::NoReport));
    }
}

#[tokio::test]
async fn report_to_inbox_and_return_path_is_stored_and_processed() {
    let mut world = world_with(ReportedStatus::default());
    let done = expect_taking(&mut world, ReportedStatus::default(), true);
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    let arrived = receive(&world.app(), report(&["scout@inboxd.example"], failure())).await.unwrap();
    assert_eq!((arrived.messages.len(), arrived.returned[0].fate), (1, Fate::Recorded));
    assert_eq!(stored.messages.only().message.item.labels.to_vec(), ["received", "unread"]);
    assert_eq!(done.events.only().len(), 1);
}

#[tokio::test]
async fn failed_report_is_stored_nowhere_and_deferred() {
    let mut world = world_with(ReportedStatus::default());
    let lost = || StoreError::Unavailable("lost".to_owned());
    world.unit_of_work().threads.expect_lock().once().returning(move |_, _, _| Err(lost()));
    // No other unit of work exists to store it.
    let received = receive(&world.app(), report(&["scout@inboxd.example"], failure())).await;
    assert_eq!(received, Err(NotReceived::Store(lost())));
}

#[tokio::test]
async fn contended_report_is_retried() {
    let mut world = world_with(ReportedStatus::default());
    world.unit_of_work().threads.expect_lock().once().returning(|_, _, _| Err(StoreError::Contention));
    expect_taking(&mut world, ReportedStatus::default(), true);
    assert_eq!(receive(&world.app(), report(&[], failure())).await, only(Fate::Recorded));
}

#[tokio::test]
async fn return_paths_are_accepted_on_own_domains_only() {
    for (domain, home, is_taken) in [
        ("inboxd.example", Locality::Remote, true),
        ("signup.inboxd.example", Locality::Remote, true),
        ("agents.example", Locality::Claimed, true),
        ("elsewhere.example", Locality::Remote, false),
        ("broken.example", Locality::Remote, true),
        ("others.example", Locality::Remote, false),
    ] {
        let mut world = world_with(ReportedStatus::default());
        world.store.expect_proven_domain().returning(|name| {
            let organization_id = match name {
                "broken.example" => id(1),
                "others.example" => id(2),
                _ => return Ok(None),
            };
            Ok(Some(Domain { organization_id, ..fixtures::domain() }))
        });
        world.store.expect_custom_homes().returning(move |addresses| Ok(vec![home; addresses.len()]));
        let path = return_path(id(40), domain);
        let expected = Recipient { address: path.clone(), place: Place::ReturnPath(id(40)) };
        assert_eq!(recipient(&world.app(), &path).await.ok(), is_taken.then_some(expected), "{path}");
    }
    let forged = address("b-00000000000000000000000000000028-0123456789abcdef@inboxd.example");
    assert_eq!(recipient(&world().app(), &forged).await, Err(NotReceived::UnknownRecipient(forged)));
}

#[tokio::test]
async fn ordinary_mail_from_null_sender_is_stored() {
    let mut world = world();
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    let mail = IncomingMail { envelope_from: None, ..incoming(&["scout@inboxd.example"], raw(FRESH)) };
    receive(&world.app(), mail).await.unwrap();
    let new = stored.messages.only();
    assert!(new.raw.starts_with(b"Return-Path: <>\r\n"));
    assert_eq!(new.message.body.headers[0], ("Return-Path".to_owned(), "<>".to_owned()));
}

#[tokio::test]
async fn return_path_field_of_sender_is_ignored() {
    let mut world = world();
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    let mail = incoming(&["scout@inboxd.example"], raw(&[("return-path", "<>")]));
    receive(&world.app(), mail).await.unwrap();
    let fields = stored.messages.only().message.body.headers;
    assert!(fields.iter().all(|(name, _)| !name.eq_ignore_ascii_case("return-path")), "{fields:?}");
}

#[tokio::test]
async fn sent_mail_is_purged_after_90_days() {
    for (forgotten, is_more) in [(1000, true), (999, false)] {
        let mut world = World::default();
        world.unit_of_work().return_paths.expect_forget().once().returning(move |before, limit| {
            assert_eq!((before, limit), (first_id_of(NOW - Duration::days(90)), 1000));
            Ok(forgotten)
        });
        assert_eq!(forget_sent_mail(&world.app()).await.unwrap(), is_more);
    }
}
