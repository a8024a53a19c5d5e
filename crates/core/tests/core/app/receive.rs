use inboxd_core::app::{IncomingMail, NotReceived, accepts, receive};
use inboxd_core::model::{
    Event, EventBody, EventType, InboxId, MessageItem, NewMessage, OrganizationId, Thread, UsageChange,
};
use inboxd_core::ports::{Constraint, Destination, PossibleRepeat, StoreError};
use inboxd_core::rules::repeats;
use inboxd_core::rules::verdict::Verdict;
use inboxd_core::testing::fixtures::{self, NOW, address, id, inbox_id, message_id};
use inboxd_core::testing::{Captured, Happened, MockTx, World};

use super::thread_of;

/// A world with three inboxes: scout and other of one organization, far of another.
fn world() -> World {
    let mut world = World::default();
    world.store.expect_destinations().returning(|addresses| {
        let destination = |name: &str, organization: u128| Destination {
            organization_id: id(organization),
            pod_id: id(organization + 1),
            inbox_id: inbox_id(name),
        };
        let found = addresses.iter().map(|address| match address.without_tag().as_str() {
            name @ ("scout@inboxd.example" | "other@inboxd.example") => Some(destination(name, 1)),
            name @ "far@inboxd.example" => Some(destination(name, 100)),
            _ => None,
        });
        Ok(found.collect())
    });
    world
}

fn raw(fields: &[(&str, &str)]) -> Vec<u8> {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{}From: Anna <anna@example.org>\r\nSubject: A Question\r\n\r\nShall we?\r\n", fields.concat()).into_bytes()
}

fn incoming(recipients: &[&str], raw: Vec<u8>) -> IncomingMail {
    IncomingMail {
        envelope_from: Some(address("anna@example.org")),
        recipients: recipients.iter().map(|recipient| address(recipient)).collect(),
        raw,
        client: None,
        verdict: Verdict::default(),
    }
}

const FRESH: &[(&str, &str)] = &[("Message-ID", "<fresh@example.org>"), ("To", "Scout <scout+tag@inboxd.example>")];

type UsageChanges = (OrganizationId, Vec<(InboxId, UsageChange)>);

/// What one unit of work stored.
#[derive(Default)]
struct Stored {
    messages: Captured<NewMessage>,
    begun: Captured<Thread>,
    joined: Captured<Thread>,
    events: Captured<Vec<Event>>,
    usage: Captured<UsageChanges>,
}

/// Expects a unit of work that may store messages and finds these live ones with the same Message-ID.
fn expect_storing(tx: &mut MockTx, known: Vec<PossibleRepeat>) -> Stored {
    let stored = Stored::default();
    tx.inboxes.expect_hold().once().returning(|wanted| Ok(wanted.to_vec()));
    tx.messages.expect_possible_repeats().returning(move |_, _, _| Ok(known.clone()));
    let seen = stored.messages.clone();
    tx.messages.expect_insert().returning(move |message| {
        seen.push(message.clone());
        Ok(())
    });
    let seen = stored.begun.clone();
    tx.threads.expect_insert().returning(move |thread| {
        seen.push(thread.clone());
        Ok(())
    });
    let seen = stored.joined.clone();
    tx.threads.expect_update().returning(move |thread| {
        seen.push(thread.clone());
        Ok(())
    });
    let seen = stored.events.clone();
    tx.events.expect_append().times(..=1).returning(move |events| {
        seen.push(events.to_vec());
        Ok(())
    });
    let seen = stored.usage.clone();
    tx.usage.expect_change().returning(move |organization_id, changes| {
        seen.push((organization_id, changes.to_vec()));
        Ok(())
    });
    stored
}

#[tokio::test]
async fn a_mail_is_stored_with_its_thread_event_and_usage_in_one_unit_of_work() {
    let mut world = world();
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    let journal = world.journal.clone();
    let mail = incoming(&["scout@inboxd.example"], raw(FRESH));
    let digest = repeats::digest(mail.envelope_from.as_ref(), &mail.raw);
    let arrived = receive(&world.app(), mail).await.unwrap();
    assert_eq!(arrived.messages, [(inbox_id("scout@inboxd.example"), message_id("<fresh@example.org>"))]);
    assert_eq!(journal.entries(), [Happened::Committed]);

    let NewMessage { message, raw, header_message_id, digest: stored_digest, search_text } = stored.messages.only();
    assert_eq!((message.item.from.as_str(), message.item.timestamp), ("Anna <anna@example.org>", NOW));
    assert_eq!(message.item.labels.to_vec(), ["received", "unread"]);
    assert_eq!(message.item.to, ["Scout <scout+tag@inboxd.example>"], "the tag stays");
    assert_eq!(message.item.sent_by, None);
    assert_eq!(message.item.size, raw.len() as u64);
    assert_eq!(message.body.text.as_deref().map(str::trim_end), Some("Shall we?"));
    assert_eq!((header_message_id, stored_digest), (None, Some(digest)));
    assert!(search_text.starts_with("anna <anna@example.org>\nscout <scout+tag@inboxd.example>\na question\n"));

    let thread = stored.begun.only();
    assert_eq!(thread, Thread::started_by(&message.item));
    let event = stored.events.only().remove(0);
    assert_eq!((event.event_type, &event.body), (EventType::MessageReceived, &EventBody::Received));
    assert_eq!((event.thread_id, &event.message_id), (thread.thread_id, &message.item.message_id));
    assert_eq!((event.organization_id, event.pod_id, event.created_at), (id(1), id(2), NOW));
    let change = UsageChange { storage_bytes: i64::try_from(raw.len()).unwrap(), messages: 1, threads: 1 };
    assert_eq!(stored.usage.only(), (id(1), vec![(message.item.inbox_id, change)]));
}

#[tokio::test]
async fn a_mail_carries_the_trace_of_its_way() {
    for (envelope_from, return_path) in
        [(Some(address("anna@example.org")), "Return-Path: <anna@example.org>"), (None, "Return-Path: <>")]
    {
        let mut world = world();
        let stored = expect_storing(world.unit_of_work(), Vec::new());
        let mail = IncomingMail { envelope_from, ..incoming(&["scout@inboxd.example"], raw(FRESH)) };
        receive(&world.app(), mail).await.unwrap();
        let octets = stored.messages.only().raw;
        assert!(octets.ends_with(&raw(FRESH)), "the mail itself is unchanged");
        let text = String::from_utf8(octets).unwrap();
        assert!(text.starts_with(return_path), "{text}");
        assert!(text.contains("\r\nDelivered-To: scout@inboxd.example\r\nReceived: by inboxd.example"), "{text}");
    }
}

#[tokio::test]
async fn every_recipients_inbox_gets_one_copy_in_the_same_unit_of_work() {
    let mut world = world();
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    let journal = world.journal.clone();
    let recipients = ["scout@inboxd.example", "far@inboxd.example", "scout+tag@inboxd.example", "other@inboxd.example"];
    let arrived = receive(&world.app(), incoming(&recipients, raw(FRESH))).await.unwrap();

    let inboxes: Vec<String> = arrived.messages.iter().map(|(inbox_id, _)| inbox_id.to_string()).collect();
    assert_eq!(inboxes, ["far@inboxd.example", "other@inboxd.example", "scout@inboxd.example"]);
    assert_eq!(stored.messages.all().len(), 3);
    assert_eq!(stored.begun.all().len(), 3);
    let events = stored.events.only();
    let organizations: Vec<OrganizationId> = events.iter().map(|event| event.organization_id).collect();
    assert_eq!(organizations, [id(100), id(1), id(1)]);
    let usage = stored.usage.all();
    assert_eq!(usage.iter().map(|(of, changes)| (*of, changes.len())).collect::<Vec<_>>(), [(id(1), 2), (id(100), 1)]);
    assert_eq!(journal.commits(), 1);
}

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
async fn a_repeat_is_answered_and_stores_nothing() {
    let mut world = world();
    let mail = incoming(&["scout@inboxd.example"], raw(FRESH));
    let digest = repeats::digest(mail.envelope_from.as_ref(), &mail.raw);
    let stored = expect_storing(world.unit_of_work(), vec![PossibleRepeat { digest: Some(digest) }]);
    let journal = world.journal.clone();
    assert_eq!(receive(&world.app(), mail).await.unwrap().messages, []);
    assert_eq!((stored.messages.all().len(), stored.events.all().len(), journal.commits()), (0, 0, 0));
}

#[tokio::test]
async fn a_repeat_for_one_inbox_is_still_new_for_another() {
    let mut world = world();
    let mail = incoming(&["scout@inboxd.example", "other@inboxd.example"], raw(FRESH));
    let digest = repeats::digest(mail.envelope_from.as_ref(), &mail.raw);
    let tx = world.unit_of_work();
    tx.messages.expect_possible_repeats().times(2).returning(move |_, inbox_id, _| {
        let is_there = inbox_id.as_str() == "scout@inboxd.example";
        Ok(is_there.then_some(PossibleRepeat { digest: Some(digest) }).into_iter().collect())
    });
    let stored = expect_storing(tx, Vec::new());
    let arrived = receive(&world.app(), mail).await.unwrap();
    assert_eq!(arrived.messages, [(inbox_id("other@inboxd.example"), message_id("<fresh@example.org>"))]);
    assert_eq!(stored.events.only().len(), 1);
}

#[tokio::test]
async fn another_mail_with_a_known_message_id_is_stored_under_a_minted_one() {
    for known in [Some([9; 32]), None] {
        let mut world = world();
        let stored = expect_storing(world.unit_of_work(), vec![PossibleRepeat { digest: known }]);
        receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await.unwrap();
        let new = stored.messages.only();
        assert_eq!(new.header_message_id, Some(message_id("<fresh@example.org>")));
        assert_ne!(new.message.item.message_id, message_id("<fresh@example.org>"));
    }
}

#[tokio::test]
async fn a_mail_without_a_usable_message_id_gets_one() {
    for fields in [&[][..], &[("Message-ID", "no id at all")]] {
        let mut world = world();
        let stored = expect_storing(world.unit_of_work(), Vec::new());
        receive(&world.app(), incoming(&["scout@inboxd.example"], raw(fields))).await.unwrap();
        let new = stored.messages.only();
        assert!(new.message.item.message_id.as_str().ends_with("@inboxd.example>"));
        assert_eq!(new.header_message_id, None);
    }
}

const ANSWER: &[(&str, &str)] = &[
    ("Message-ID", "<answer@example.org>"),
    ("References", "<oldest@example.org> <newest@example.org>"),
    ("In-Reply-To", "<question@example.org>"),
];

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

/// A unit of work in which storing the message fails.
fn expect_failing(world: &mut World, error: StoreError) {
    let tx = world.unit_of_work();
    tx.messages.expect_insert().once().return_once(move |_| Err(error));
    expect_storing(tx, Vec::new());
}

#[tokio::test]
async fn what_came_between_is_tried_again() {
    for error in [StoreError::Contention, StoreError::Duplicate(Constraint::MessageId)] {
        let mut world = world();
        expect_failing(&mut world, error);
        let stored = expect_storing(world.unit_of_work(), Vec::new());
        let journal = world.journal.clone();
        receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await.unwrap();
        assert_eq!((stored.messages.all().len(), journal.commits()), (1, 1));
    }
}

#[tokio::test]
async fn a_copy_that_won_the_race_makes_this_one_a_repeat() {
    let mut world = world();
    let mail = incoming(&["scout@inboxd.example"], raw(FRESH));
    let digest = repeats::digest(mail.envelope_from.as_ref(), &mail.raw);
    expect_failing(&mut world, StoreError::Duplicate(Constraint::MessageId));
    let stored = expect_storing(world.unit_of_work(), vec![PossibleRepeat { digest: Some(digest) }]);
    assert_eq!(receive(&world.app(), mail).await.unwrap().messages, []);
    assert_eq!(stored.messages.all(), []);
}

#[tokio::test]
async fn a_commit_that_met_another_is_tried_again() {
    let mut world = world();
    expect_storing(world.unit_of_work(), Vec::new());
    world.last_unit_of_work().commit_fails = Some(StoreError::Contention);
    expect_storing(world.unit_of_work(), Vec::new());
    let journal = world.journal.clone();
    assert!(receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await.is_ok());
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn trying_again_has_an_end_and_other_failures_are_not_tried_again() {
    for (error, tries) in [(StoreError::Contention, 5), (StoreError::Unavailable("gone".to_owned()), 1)] {
        let mut world = world();
        (0..tries).for_each(|_| expect_failing(&mut world, error.clone()));
        let failed = receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await;
        assert_eq!(failed, Err(NotReceived::Store(error)));
    }
}

#[tokio::test]
async fn the_verdict_labels_the_mail_and_names_its_one_event() {
    let mut world = world();
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    let verdict = Verdict { spam: true, unauthenticated: true, blocked: false };
    let mail = IncomingMail { verdict, ..incoming(&["scout@inboxd.example"], raw(FRESH)) };
    receive(&world.app(), mail).await.unwrap();
    let MessageItem { labels, .. } = stored.messages.only().message.item;
    assert_eq!(labels.to_vec(), ["received", "spam", "unauthenticated", "unread"]);
    let events = stored.events.only();
    assert_eq!(events.iter().map(|event| event.event_type).collect::<Vec<_>>(), [EventType::MessageReceivedSpam]);
}

#[tokio::test]
async fn mail_is_accepted_for_inboxes_that_are_there() {
    assert_eq!(accepts(&world().app(), &address("Scout+x@inboxd.example")).await, Ok(()));
    let nobody = address("nobody@inboxd.example");
    assert_eq!(accepts(&world().app(), &nobody).await, Err(NotReceived::UnknownRecipient(nobody)));
}
