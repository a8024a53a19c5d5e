use inboxd_core::app::Delivered;
use inboxd_core::model::return_path::{ReportedStatus, SentMail, SentTo};
use inboxd_core::model::{QueuedMail, Route, SuppressionReason};
use inboxd_core::testing::Captured;
use inboxd_core::testing::fixtures::{NOW, address, id, message_id};
use time::Duration;

use crate::app::thread_of;

use super::{
    RAW, Stub, attempt, bounce, deferred, delivery, expect_settling, mail, refused, sent_item, transport, world,
};

#[tokio::test]
async fn delivered_mail_leaves_queue_with_event_and_label() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let journal = world.journal.clone();
    let (transport, mail) = (Stub::default(), mail(Route::Remote, &["anna@example.org", "ben@example.org"]));
    let delivered = attempt(world, &transport, &mail).await;
    assert_eq!(delivered, Delivered { delivered: 2, bounced: 0, deferred: 0 });
    assert_eq!(settled.bodies(), [delivery(&["anna@example.org", "ben@example.org"])]);
    let event = settled.events.only().remove(0);
    assert_eq!((event.pod_id, event.thread_id, event.created_at), (Some(id(2)), Some(id(10)), NOW));
    assert_eq!(event.message_id, Some(message_id("<sent@inboxd.example>")));
    assert_eq!(settled.labelled.only().labels.to_vec(), ["delivered", "sent"]);
    assert!(settled.thread.only().labels.contains("delivered"));
    assert_eq!((settled.removed.only(), settled.left.all().len()), ((&mail).into(), 0));
    assert_eq!(journal.commits(), 1);
    let handed_over = transport.handed_over.only();
    assert_eq!((handed_over.raw.as_slice(), handed_over.recipients), (RAW, mail.recipients));
    assert_eq!(handed_over.envelope_from, mail.envelope_from);
}

#[tokio::test]
async fn recipients_have_separate_outcomes() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let outcomes = [
        ("dead@example.org", refused("5.1.1")),
        ("full@example.org", refused("5.2.2")),
        ("grey@example.org", deferred()),
    ];
    let mail = mail(Route::Remote, &["anna@example.org", "dead@example.org", "full@example.org", "grey@example.org"]);
    let delivered = attempt(world, &transport(&outcomes), &mail).await;
    assert_eq!(delivered, Delivered { delivered: 1, bounced: 2, deferred: 1 });
    assert_eq!(
        settled.bodies(),
        [
            delivery(&["anna@example.org"]),
            bounce("Permanent", "NoEmail", &[("dead@example.org", "5.1.1")]),
            bounce("Transient", "MailboxFull", &[("full@example.org", "5.2.2")]),
        ]
    );
    assert_eq!(settled.labelled.only().labels.to_vec(), ["bounced", "delivered", "sent"]);
    let suppression = settled.suppressed.only();
    assert_eq!((suppression.address, suppression.reason), (address("dead@example.org"), SuppressionReason::Bounce));
    assert_eq!((suppression.organization_id, suppression.created_at), (id(1), NOW));
    let left = settled.left.only();
    assert_eq!(left.recipients, [address("grey@example.org")]);
    assert_eq!((left.due_at, left.attempts), (NOW + Duration::seconds(10), 1));
    assert!(settled.removed.all().is_empty());
}

#[tokio::test]
async fn refusal_after_equal_report_appends_no_event() {
    let mut world = world();
    let tx = world.unit_of_work();
    let reported = Captured::default();
    tx.return_paths.expect_lock().once().returning(|organization_id, outgoing_id| {
        let to = |text, failed| SentTo {
            address: address(text),
            reported: ReportedStatus { failed, ..ReportedStatus::default() },
        };
        let recipients = vec![to("a@example.org", true), to("b@example.org", false)];
        let message = mail(Route::Remote, &[]).message.unwrap();
        Ok(Some(SentMail { outgoing_id, organization_id, message, recipients }))
    });
    let seen = reported.clone();
    tx.return_paths.expect_store_reported().once().returning(move |mail| {
        seen.push(mail.recipients.iter().map(|to| to.reported.failed).collect::<Vec<_>>());
        Ok(())
    });
    let settled = expect_settling(tx);
    let outcomes = [("a@example.org", refused("5.1.1")), ("b@example.org", refused("5.1.1"))];
    attempt(world, &transport(&outcomes), &mail(Route::Remote, &["a@example.org", "b@example.org"])).await;
    assert_eq!(settled.bodies(), [bounce("Permanent", "NoEmail", &[("b@example.org", "5.1.1")])]);
    assert_eq!(settled.suppressed.only().address, address("b@example.org"));
    assert_eq!(reported.only(), [true, true]);
}

#[tokio::test]
async fn equivalent_refusals_share_one_event() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let outcomes = [("a@example.org", refused("5.1.1")), ("b@example.org", refused("5.1.10"))];
    attempt(world, &transport(&outcomes), &mail(Route::Remote, &["a@example.org", "b@example.org"])).await;
    let expected = bounce("Permanent", "NoEmail", &[("a@example.org", "5.1.1"), ("b@example.org", "5.1.10")]);
    assert_eq!(settled.bodies(), [expected]);
    assert_eq!(settled.suppressed.all().len(), 2);
}

#[tokio::test]
async fn temporary_failure_suppresses_no_address() {
    for status in ["5.2.2", "5.3.4", "5.6.0", "5.7.1", "4.4.7"] {
        let mut world = world();
        let settled = expect_settling(world.unit_of_work());
        attempt(world, &transport(&[("a@example.org", refused(status))]), &mail(Route::Remote, &["a@example.org"]))
            .await;
        assert_eq!(settled.suppressed.all(), [], "{status}");
        assert_eq!(settled.events.only().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn deferred_mail_appends_no_event() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let journal = world.journal.clone();
    let again = QueuedMail { attempts: 2, ..mail(Route::Remote, &["grey@example.org"]) };
    let delivered = attempt(world, &transport(&[("grey@example.org", deferred())]), &again).await;
    assert_eq!(delivered, Delivered { delivered: 0, bounced: 0, deferred: 1 });
    assert_eq!(settled.left.only().due_at, NOW + Duration::seconds(30));
    assert_eq!(settled.bodies(), []);
    assert_eq!((settled.labelled.all().len(), journal.commits()), (0, 1));
}

#[tokio::test]
async fn late_mail_appends_one_delay_event() {
    let late = |hours, is_delay_told| QueuedMail {
        created_at: NOW - Duration::hours(hours),
        is_delay_told,
        ..mail(Route::Remote, &["anna@example.org", "grey@example.org"])
    };
    let reported = bounce("Transient", "Delayed", &[("grey@example.org", "4.0.0")]);
    for (mail, events, is_told) in [
        (late(3, false), vec![delivery(&["anna@example.org"])], false),
        (late(4, false), vec![delivery(&["anna@example.org"]), reported], true),
        (late(5, true), vec![delivery(&["anna@example.org"])], true),
    ] {
        let mut world = world();
        let settled = expect_settling(world.unit_of_work());
        attempt(world, &transport(&[("grey@example.org", deferred())]), &mail).await;
        assert_eq!(settled.bodies(), events);
        assert_eq!(settled.left.only().is_delay_told, is_told);
        assert_eq!(settled.labelled.only().labels.to_vec(), ["delivered", "sent"], "no bounce");
        assert_eq!(settled.suppressed.all(), []);
    }
}

#[tokio::test]
async fn reported_delay_appends_no_second_event() {
    let mut world = world();
    let reported = Captured::default();
    let tx = world.unit_of_work();
    tx.return_paths.expect_lock().once().returning(|organization_id, outgoing_id| {
        let to = |text, delayed| SentTo {
            address: address(text),
            reported: ReportedStatus { delayed, ..ReportedStatus::default() },
        };
        let recipients = vec![to("a@example.org", true), to("b@example.org", false)];
        let message = mail(Route::Remote, &[]).message.unwrap();
        Ok(Some(SentMail { outgoing_id, organization_id, message, recipients }))
    });
    let seen = reported.clone();
    tx.return_paths.expect_store_reported().once().returning(move |mail| {
        seen.push(mail.recipients.iter().map(|to| to.reported.delayed).collect::<Vec<_>>());
        Ok(())
    });
    let settled = expect_settling(tx);
    let late =
        QueuedMail { created_at: NOW - Duration::hours(4), ..mail(Route::Remote, &["a@example.org", "b@example.org"]) };
    let outcomes = [("a@example.org", deferred()), ("b@example.org", deferred())];
    attempt(world, &transport(&outcomes), &late).await;
    assert_eq!(settled.bodies(), [bounce("Transient", "Delayed", &[("b@example.org", "4.0.0")])]);
    assert_eq!(reported.only(), [true, true]);
}

#[tokio::test]
async fn mail_deferred_for_72_hours_bounces_without_suppression() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let old = QueuedMail {
        created_at: NOW - Duration::hours(72),
        attempts: 26,
        ..mail(Route::Remote, &["grey@example.org"])
    };
    let delivered = attempt(world, &transport(&[("grey@example.org", deferred())]), &old).await;
    assert_eq!(delivered, Delivered { delivered: 0, bounced: 1, deferred: 0 });
    assert_eq!(settled.bodies(), [bounce("Transient", "General", &[("grey@example.org", "4.4.7")])]);
    assert_eq!((settled.suppressed.all(), settled.left.all()), (vec![], vec![]));
    assert_eq!(settled.removed.only(), (&old).into());
}

#[tokio::test]
async fn mail_held_beyond_72_hours_is_retried_after_its_first_attempt() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let held = QueuedMail { created_at: NOW - Duration::days(5), ..mail(Route::Remote, &["grey@example.org"]) };
    let delivered = attempt(world, &transport(&[("grey@example.org", deferred())]), &held).await;
    assert_eq!(delivered, Delivered { delivered: 0, bounced: 0, deferred: 1 });
    assert_eq!(settled.left.only().due_at, NOW + Duration::seconds(10));
    assert_eq!(settled.bodies(), [bounce("Transient", "Delayed", &[("grey@example.org", "4.0.0")])]);
    assert!(settled.removed.all().is_empty());
}

#[tokio::test]
async fn deleted_message_gets_event_without_label() {
    for thread_is_there in [false, true] {
        let mut world = world();
        let tx = world.unit_of_work();
        tx.threads
            .expect_lock_across()
            .once()
            .returning(move |_| Ok(if thread_is_there { vec![thread_of(&[sent_item()])] } else { Vec::new() }));
        tx.messages.expect_items().times(..=1).returning(|_, _, _| Ok(Vec::new()));
        let settled = expect_settling(tx);
        attempt(world, &Stub::default(), &mail(Route::Remote, &["a@example.org"])).await;
        assert_eq!(settled.bodies(), [delivery(&["a@example.org"])]);
        assert_eq!((settled.labelled.all().len(), settled.thread.all().len()), (0, 0));
    }
}
