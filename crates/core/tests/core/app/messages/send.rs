use inboxd_core::app::messages::send;
use inboxd_core::app::{AttachmentSource, Letter, LetterAttachment, Sent, problems_of_answer};
use inboxd_core::model::{
    Caller, Event, EventBody, EventType, Hidden, Inbox, ListDirection, ListExcerpt, ListKey, ListLevel, ListType,
    Message, MessageId, MessageItem, Organization, Permission, Plan, RawMail, Route, SendClaim, SendCounts,
    Suppression, SuppressionReason, Thread, UsageChange,
};
use inboxd_core::ports::{Destination, StoreError};
use inboxd_core::testing::fixtures::{self, NOW, address, id, inbox_id, mailbox};
use inboxd_core::testing::{Captured, Happened, StubFetch, World};
use inboxd_core::{Error, FieldError, LimitReached, Resource};
use inboxd_mail::attachment_content;
use mockall::Sequence;
use time::macros::datetime;

use super::{expect_caps, expect_sending, expect_storing, sending_world};
use crate::app::{locks, paths, permissions, world};

fn letter(to: &[&str]) -> Letter {
    Letter {
        to: to.iter().map(|text| mailbox(text)).collect(),
        subject: Some("An offer".to_owned()),
        text: Some("Here it is.".to_owned()),
        ..Letter::default()
    }
}

async fn send_as(world: World, caller: &Caller, letter: Letter) -> Result<Sent, Error> {
    send(&world.app(), caller, &fixtures::inbox().inbox_id, letter, None).await
}

async fn refused(world: World, letter: Letter) -> Error {
    let journal = world.journal.clone();
    let error = send_as(world, &fixtures::caller(), letter).await.unwrap_err();
    assert_eq!(journal.entries(), []);
    error
}

/// A refusal that leaves its event, and nothing else.
async fn rejected_for(world: World, caller: &Caller, letter: Letter) -> Error {
    let journal = world.journal.clone();
    let error = send_as(world, caller, letter).await.unwrap_err();
    assert_eq!(journal.entries(), [Happened::Committed]);
    error
}

/// Expects a unit of work that stores one event and nothing else.
fn expect_rejection(world: &mut World) -> Captured<Event> {
    let rejected = Captured::default();
    let seen = rejected.clone();
    world.unit_of_work().events.expect_append().once().returning(move |events| {
        let [event] = events else { panic!("{events:?}") };
        seen.push(event.clone());
        Ok(())
    });
    rejected
}

fn reason_of(rejected: &Captured<Event>) -> String {
    let event = rejected.only();
    assert_eq!(event.event_type, EventType::MessageRejected);
    let EventBody::Reject { reason } = event.body else { panic!("{event:?}") };
    reason
}

#[tokio::test]
async fn a_mail_is_stored_counted_and_queued_with_its_event_in_one_unit_of_work() {
    let mut world = sending_world();
    let outbox = expect_sending(&mut world);
    let journal = world.journal.clone();
    let letter = Letter { labels: vec!["Offer".to_owned()], ..letter(&["Anna <anna@example.org>"]) };
    let sent = send_as(world, &fixtures::caller(), letter).await.unwrap();
    assert_eq!(journal.entries(), [Happened::Committed, Happened::Woken], "the workers are woken after the commit");

    let new = outbox.messages.only();
    let item = &new.message.item;
    assert_eq!((&item.message_id, item.thread_id), (&sent.message_id, sent.thread_id));
    assert_eq!(item.from, "Scout <scout@inboxd.example>");
    assert_eq!(item.labels.to_vec(), ["offer", "sent"]);
    let recorded = outbox.history.only();
    assert_eq!((recorded.label.as_str(), &recorded.message_id), ("offer", &sent.message_id));
    assert_eq!((recorded.actor, recorded.event_at), (fixtures::caller().actor, NOW));
    assert_eq!((item.sent_by.clone(), item.timestamp), (Some(fixtures::caller().actor), NOW));
    assert_eq!((new.digest, new.header_message_id), (None, None));
    assert_eq!(outbox.begun.only(), Thread::started_by(item));
    let event = outbox.events.only().remove(0);
    assert_eq!(event.event_type, EventType::MessageSent);
    assert_eq!(event.body, EventBody::Send { recipients: vec!["anna@example.org".to_owned()] });
    assert_eq!((event.message_id, event.thread_id), (Some(sent.message_id.clone()), Some(sent.thread_id)));
    let change = UsageChange { storage_bytes: i64::try_from(new.raw.len()).unwrap(), messages: 1, threads: 1 };
    assert_eq!(outbox.usage.only(), [(fixtures::inbox().inbox_id, change)]);

    let mail = outbox.mail();
    assert_eq!(mail.message_id.as_deref(), Some(sent.message_id.as_str()));
    assert!(mail.in_reply_to.is_empty() && mail.references.is_empty());
    let header = |name: &str| mail.headers.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str());
    assert_eq!(header("Auto-Submitted"), Some("auto-generated"));
}

#[tokio::test]
async fn what_a_person_sends_does_not_say_that_a_program_wrote_it() {
    let mut world = sending_world();
    let outbox = expect_sending(&mut world);
    let maria = fixtures::calling(&fixtures::member());
    send_as(world, &maria, letter(&["anna@example.org"])).await.unwrap();
    assert_eq!(outbox.messages.only().message.item.sent_by, Some(maria.actor));
    assert!(outbox.mail().headers.iter().all(|(field, _)| field != "Auto-Submitted"));
}

#[tokio::test]
async fn where_mail_leaves_directly_each_destination_has_a_way_of_its_own() {
    let mut world = sending_world();
    world.settings.delivers_directly = true;
    let outbox = expect_sending(&mut world);
    let to =
        ["anna@example.org", "ben@b\u{fc}cher.example", "carl@EXAMPLE.org", "other@inboxd.example", "d@[192.0.2.1]"];
    send_as(world, &fixtures::caller(), letter(&to)).await.unwrap();
    let queued = outbox.queued.only();
    let ways: Vec<_> =
        queued.iter().map(|mail| (mail.route, mail.destination.as_str(), mail.recipients.clone())).collect();
    assert_eq!(
        ways,
        [
            (Route::Local, "", vec![address("other@inboxd.example")]),
            (Route::Remote, "[192.0.2.1]", vec![address("d@[192.0.2.1]")]),
            (Route::Remote, "example.org", vec![address("anna@example.org"), address("carl@example.org")]),
            (Route::Remote, "xn--bcher-kva.example", vec![address("ben@b\u{fc}cher.example")]),
        ]
    );
}

#[tokio::test]
async fn the_mail_leaves_by_the_way_of_each_recipient_and_comes_back_to_us() {
    let mut world = sending_world();
    let outbox = expect_sending(&mut world);
    let letter = Letter {
        bcc: vec![mailbox("Other <other@inboxd.example>"), mailbox("hidden@example.net")],
        ..letter(&["anna@example.org", "ANNA@example.org"])
    };
    let sent = send_as(world, &fixtures::caller(), letter).await.unwrap();
    let queued = outbox.queued.only();
    let ways: Vec<_> = queued.iter().map(|mail| (mail.route, mail.recipients.clone())).collect();
    assert_eq!(
        ways,
        [
            (Route::Local, vec![address("other@inboxd.example")]),
            (Route::Remote, vec![address("anna@example.org"), address("hidden@example.net")]),
        ]
    );
    for mail in &queued {
        assert_eq!((&mail.raw, mail.attempts, mail.due_at), (&RawMail::OfMessage, 0, NOW));
        assert_eq!(mail.message.as_ref().map(|message| &message.message_id), Some(&sent.message_id));
        let (tag, domain) = (mail.envelope_from.local(), mail.envelope_from.domain());
        assert!(tag.starts_with(&format!("b-{}-", mail.outgoing_id.0.simple())), "{tag}");
        assert_eq!((tag.len(), domain.as_str()), ("b--".len() + 32 + 16, "inboxd.example"));
    }
    assert_ne!(queued[0].envelope_from, queued[1].envelope_from);
    let new = outbox.messages.only();
    assert_eq!(new.message.item.bcc, ["Other <other@inboxd.example>", "hidden@example.net"]);
    let raw = String::from_utf8(new.raw).unwrap();
    assert!(!raw.contains("hidden@") && !raw.contains("Bcc"), "nobody sees who got a blind copy");
}

#[tokio::test]
async fn the_caps_are_looked_at_under_the_lock_and_the_mail_counted_in_the_same_unit() {
    let mut world = sending_world();
    let mut order = Sequence::new();
    let tx = world.unit_of_work();
    tx.accounts.expect_lock().once().in_sequence(&mut order).returning(|_| Ok(Some(fixtures::organization())));
    tx.usage.expect_storage_bytes().once().in_sequence(&mut order).returning(|_| Ok(0));
    tx.usage.expect_sends().once().in_sequence(&mut order).returning(|_, today| {
        assert_eq!(today, NOW.date());
        Ok(SendCounts { today: 99, this_month: 999 })
    });
    tx.inboxes.expect_hold().once().in_sequence(&mut order).returning(|wanted| Ok(wanted.to_vec()));
    tx.messages.expect_insert().once().in_sequence(&mut order).returning(|new| {
        assert_eq!(new.sends, [(fixtures::organization().organization_id, NOW.date(), 1)]);
        assert_eq!(new.queued.len(), 1);
        Ok(())
    });
    send_as(world, &fixtures::caller(), letter(&["anna@example.org"])).await.unwrap();
}

#[tokio::test]
async fn a_send_over_any_cap_is_refused_and_stores_nothing() {
    let startup = Organization { plan: Plan::Startup, ..fixtures::organization() };
    let daily = LimitReached::Daily { resets_at: datetime!(2026-11-21 00:00 UTC) };
    let monthly = LimitReached::Monthly { resets_at: datetime!(2026-12-01 00:00 UTC) };
    let gb = 1_000_000_000;
    let table = [
        (fixtures::organization(), 100, 100, 0, daily, 100),
        (fixtures::organization(), 0, 1_000, 0, monthly, 1_000),
        (fixtures::organization(), 0, 0, gb, LimitReached::Storage, gb),
        (fixtures::unverified(), 10, 10, 0, daily, 10),
        (fixtures::unverified(), 0, 100, 0, monthly, 100),
        (startup, 500, 10_000, 0, monthly, 10_000),
    ];
    for (organization, today, this_month, stored, expected, cap) in table {
        let mut world = sending_world();
        expect_caps(world.unit_of_work(), organization, SendCounts { today, this_month }, stored);
        let error = refused(world, letter(&["owner@example.org"])).await;
        assert!(matches!(error, Error::LimitReached { which, limit, .. } if which == expected && limit == cap));
    }
}

#[tokio::test]
async fn an_enterprise_is_not_capped() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    let enterprise = Organization { plan: Plan::Enterprise, ..fixtures::organization() };
    expect_caps(tx, enterprise, SendCounts { today: u64::MAX, this_month: u64::MAX }, u64::MAX);
    expect_storing(tx);
    assert!(send_as(world, &fixtures::caller(), letter(&["anna@example.org"])).await.is_ok());
}

#[tokio::test]
async fn an_unverified_organization_mails_its_owner_only() {
    let caller = Caller { organization: fixtures::unverified(), ..fixtures::caller() };
    let mut both = letter(&["owner@example.org"]);
    both.bcc = vec![mailbox("anna@example.org")];
    let mut world = world();
    let rejected = expect_rejection(&mut world);
    let error = rejected_for(world, &caller, both).await;
    assert_eq!(reason_of(&rejected), "the organization is unverified and may mail its owner only");
    assert!(matches!(error, Error::OrganizationUnverified { recipient } if recipient == "anna@example.org"));

    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::unverified(), SendCounts { today: 9, this_month: 99 }, 0);
    expect_storing(tx);
    assert!(send_as(world, &caller, letter(&["Owner <OWNER@example.org>"])).await.is_ok());
}

#[tokio::test]
async fn a_suppressed_recipient_is_refused_whatever_the_plan() {
    let mut world = world();
    world.store.expect_suppressed().once().returning(|organization_id, addresses| {
        assert_eq!(addresses.len(), 2);
        Ok(vec![Suppression {
            organization_id,
            address: address("dead@example.org"),
            reason: SuppressionReason::Complaint,
            created_at: NOW,
        }])
    });
    world.store.expect_excerpts_of_lists().returning(|_| Ok(Vec::new()));
    let rejected = expect_rejection(&mut world);
    let error = rejected_for(world, &fixtures::caller(), letter(&["anna@example.org", "dead@example.org"])).await;
    assert!(matches!(
        error,
        Error::RecipientSuppressed { address, reason: SuppressionReason::Complaint } if address == "dead@example.org"
    ));
    assert_eq!(reason_of(&rejected), "dead@example.org is suppressed");
}

#[tokio::test]
async fn a_send_refused_for_a_recipient_appends_message_rejected_and_is_free_of_caps() {
    let list = |list_type, entries: &[&str]| ListExcerpt {
        list: ListKey {
            organization_id: id(1),
            level: ListLevel::Organization,
            direction: ListDirection::Send,
            list_type,
        },
        entries: entries.iter().map(|&entry| entry.to_owned()).collect(),
    };
    for (excerpt, reason) in [
        (
            list(ListType::Block, &["example.org"]),
            "Anna@example.org is blocked by the entry example.org of the send block list of the organization",
        ),
        (
            list(ListType::Allow, &[]),
            "Anna@example.org is not on the send allow list of the organization, which has entries",
        ),
    ] {
        let mut world = world();
        world.store.expect_suppressed().once().returning(|_, _| Ok(Vec::new()));
        world.store.expect_excerpts_of_lists().once().returning(move |query| {
            assert_eq!(query.names, ["anna@example.org", "example.org", "org"]);
            assert_eq!((query.levels.len(), query.directions.as_slice()), (3, &[ListDirection::Send][..]));
            Ok(vec![excerpt.clone()])
        });
        let rejected = expect_rejection(&mut world);
        let error = rejected_for(world, &fixtures::caller(), letter(&["Anna <Anna@example.org>"])).await;
        assert!(matches!(error, Error::RecipientBlocked { .. } | Error::RecipientNotAllowed { .. }), "{error:?}");
        assert_eq!(reason_of(&rejected), reason);
        assert!(rejected.only().message_id.unwrap().as_str().ends_with("@inboxd.example>"));
    }
}

#[tokio::test]
async fn a_mail_needs_one_to_fifty_recipients() {
    assert_eq!(paths(refused(world(), letter(&[])).await), ["to"]);
    let crowd: Vec<String> = (0..51).map(|number| format!("n{number}@example.org")).collect();
    let crowd: Vec<&str> = crowd.iter().map(String::as_str).collect();
    assert_eq!(paths(refused(world(), letter(&crowd)).await), ["to"]);

    let mut world = sending_world();
    let outbox = expect_sending(&mut world);
    send_as(world, &fixtures::caller(), letter(&crowd[..50])).await.unwrap();
    assert_eq!(outbox.recipients().len(), 50, "one mail, counted once");
}

#[tokio::test]
async fn a_line_break_or_nul_in_a_header_is_refused() {
    let to = ["anna@example.org"];
    let injected = "x\r\nBcc: victim@example.org";
    let mut named = letter(&to);
    named.to[0].name = Some(injected.to_owned());
    let table = [
        (Letter { subject: Some(injected.to_owned()), ..letter(&to) }, "subject"),
        (Letter { subject: Some("a\0b".to_owned()), ..letter(&to) }, "subject"),
        (Letter { headers: vec![("X-Tag".to_owned(), "a\nb".to_owned())], ..letter(&to) }, "headers.X-Tag"),
        (Letter { headers: vec![("Bcc".to_owned(), "a@b.example".to_owned())], ..letter(&to) }, "headers.Bcc"),
        (Letter { text: Some("a\0b".to_owned()), ..letter(&to) }, "text"),
        (named, "to[0]"),
    ];
    for (letter, path) in table {
        let found = paths(refused(sending_world(), letter).await);
        assert!(found.len() == 1 && found[0].starts_with(path), "{path}: {found:?}");
    }
}

#[tokio::test]
async fn labels_of_the_services_own_are_refused() {
    let mine = Letter { labels: vec!["Received".to_owned()], ..letter(&["anna@example.org"]) };
    let Error::Invalid(problems) = refused(world(), mine).await else { unreachable!() };
    assert_eq!(problems, [FieldError::system_label("labels[0]", "received")]);
}

#[tokio::test]
async fn everything_that_is_wrong_with_a_letter_is_named_before_anything_is_looked_up() {
    let bad = Letter {
        subject: Some("a\nb".to_owned()),
        text: Some("\0".to_owned()),
        headers: vec![("Bad Name".to_owned(), "x".to_owned())],
        labels: vec!["a,b".to_owned(), "sent".to_owned()],
        attachments: vec![
            LetterAttachment {
                content_type: Some("png".to_owned()),
                ..attached(AttachmentSource::Content(Vec::new()))
            },
            attached(AttachmentSource::Content(vec![0; 25_000_001])),
        ],
        ..letter(&[])
    };
    let expected = [
        "subject",
        "text",
        "headers.Bad Name",
        "attachments[0].content_type",
        "attachments[1]",
        "labels[0]",
        "labels[1]",
    ];
    let of_answer: Vec<String> = problems_of_answer(&bad).into_iter().map(|problem| problem.path).collect();
    assert_eq!(of_answer, expected);
    assert_eq!(paths(refused(world(), bad).await), [&["to"][..], &expected].concat());
}

fn attached(source: AttachmentSource) -> LetterAttachment {
    LetterAttachment {
        filename: Some("notes.txt".to_owned()),
        content_type: None,
        content_disposition: None,
        content_id: None,
        source,
    }
}

#[tokio::test]
async fn attachments_come_from_the_request_or_from_a_url() {
    let mut world = sending_world();
    world.fetch = StubFetch::default().with("https://files.example/a", b"from afar", Some("text/csv"));
    let outbox = expect_sending(&mut world);
    let attachments = vec![
        attached(AttachmentSource::Content(b"from here".to_vec())),
        attached(AttachmentSource::Url("https://files.example/a".to_owned())),
    ];
    send_as(world, &fixtures::caller(), Letter { attachments, ..letter(&["anna@example.org"]) }).await.unwrap();
    let new = outbox.messages.only();
    let content: Vec<_> = new
        .message
        .item
        .attachments
        .iter()
        .map(|attachment| {
            let octets = attachment_content(&new.raw, attachment.part).unwrap();
            (attachment.content_type.clone().unwrap(), String::from_utf8(octets).unwrap())
        })
        .collect();
    let expected = [("application/octet-stream", "from here"), ("text/csv", "from afar")];
    assert_eq!(content, expected.map(|(kind, text)| (kind.to_owned(), text.to_owned())));
}

#[tokio::test]
async fn every_attachment_that_cannot_be_sent_is_named() {
    let large = || attached(AttachmentSource::Content(vec![0; 25_000_001]));
    let missing = || attached(AttachmentSource::Url("https://files.example/missing".to_owned()));
    let with = |attachments| Letter { attachments, ..letter(&["anna@example.org"]) };
    let error = refused(world(), with(vec![large(), missing(), large()])).await;
    assert_eq!(paths(error), ["attachments[0]", "attachments[2]"], "nothing is fetched for a letter that cannot go");
    let fine = attached(AttachmentSource::Content(Vec::new()));
    let error = refused(sending_world(), with(vec![missing(), fine, missing()])).await;
    assert_eq!(paths(error), ["attachments[0].url", "attachments[2].url"]);
}

#[tokio::test]
async fn a_url_is_read_only_as_far_as_the_mail_has_room() {
    let mut world = sending_world();
    world.settings.max_message_bytes = 100;
    world.fetch = StubFetch::default().with("https://files.example/a", &[b'x'; 51], None);
    let attachments = vec![
        attached(AttachmentSource::Content(vec![b'y'; 50])),
        attached(AttachmentSource::Url("https://files.example/a".to_owned())),
    ];
    let error = refused(world, Letter { attachments, ..letter(&["anna@example.org"]) }).await;
    assert_eq!(paths(error), ["attachments[1].url"]);
}

#[tokio::test]
async fn a_mail_that_is_too_large_in_all_is_refused() {
    let mut world = sending_world();
    world.settings.max_message_bytes = 1_000;
    let error = refused(world, Letter { text: Some("x".repeat(1_000)), ..letter(&["anna@example.org"]) }).await;
    assert!(matches!(error, Error::TooLarge { size, limit: 1_000 } if size > 1_000));
}

#[tokio::test]
async fn contention_is_tried_again_and_sends_once() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    tx.usage.expect_storage_bytes().returning(|_| Err(StoreError::Contention));
    let outbox = expect_sending(&mut world);
    world.last_unit_of_work().commit_fails = Some(StoreError::Contention);
    let again = expect_sending(&mut world);
    let journal = world.journal.clone();
    let sent = send_as(world, &fixtures::caller(), letter(&["anna@example.org"])).await.unwrap();
    assert_eq!(journal.entries(), [Happened::Committed, Happened::Woken]);
    assert_eq!(again.messages.only().message.item.message_id, sent.message_id);
    assert_eq!(outbox.messages.only().message.item.message_id, sent.message_id, "the id is the same at every try");
}

#[tokio::test]
async fn a_commit_that_fails_wakes_nobody() {
    let mut world = sending_world();
    expect_sending(&mut world);
    world.last_unit_of_work().commit_fails = Some(StoreError::Unavailable("gone".to_owned()));
    let error = refused(world, letter(&["anna@example.org"])).await;
    assert!(matches!(error, Error::Store(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn a_send_whose_commit_is_undecided_is_looked_up_and_never_made_twice() {
    type Found = fn(&[MessageId]) -> Result<Vec<Message>, StoreError>;
    let table: [(Found, Option<StoreError>); 3] = [
        (
            |ids| {
                let item = MessageItem { message_id: ids[0].clone(), ..fixtures::message_item() };
                Ok(vec![fixtures::message(item)])
            },
            None,
        ),
        (|_| Ok(Vec::new()), Some(StoreError::Unavailable("broken".to_owned()))),
        (|_| Err(StoreError::Unavailable("gone".to_owned())), Some(StoreError::Undecided("broken".to_owned()))),
    ];
    for (found, refusal) in table {
        let mut world = sending_world();
        let outbox = expect_sending(&mut world);
        world.last_unit_of_work().commit_fails = Some(StoreError::Undecided("broken".to_owned()));
        world.unit_of_work().accounts.expect_lock().once().returning(|_| Ok(Some(fixtures::organization())));
        world.store.expect_messages().once().returning(move |_, _, ids, readable| {
            assert_eq!(readable, Hidden::ALL, "mail can be sent into the trash");
            found(ids)
        });
        let answer = send_as(world, &fixtures::caller(), letter(&["anna@example.org"])).await;
        match (answer, refusal) {
            (Ok(sent), None) => assert_eq!(sent.message_id, outbox.messages.only().message.item.message_id),
            (Err(Error::Store(error)), Some(refusal)) => assert_eq!(error, refusal),
            (answer, refusal) => panic!("{answer:?}, not {refusal:?}"),
        }
    }
}

#[tokio::test]
async fn an_inbox_that_was_deleted_meanwhile_sends_nothing() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    tx.inboxes.expect_hold().once().returning(|_| Ok(Vec::new()));
    let error = refused(world, letter(&["anna@example.org"])).await;
    assert!(matches!(error, Error::NotFound { resource: Resource::Inbox, .. }));
}

#[tokio::test]
async fn a_mail_has_at_most_five_hundred_attachments() {
    let attachments = vec![attached(AttachmentSource::Content(Vec::new())); 501];
    let error = refused(world(), Letter { attachments, ..letter(&["anna@example.org"]) }).await;
    assert_eq!(paths(error), ["attachments"]);
}

#[tokio::test]
async fn a_letter_that_cannot_be_sent_is_refused_before_the_inbox_is_looked_for() {
    let nowhere = inbox_id("nowhere@inboxd.example");
    let refused = send(&World::default().app(), &fixtures::caller(), &nowhere, letter(&[]), None).await;
    assert_eq!(paths(refused.unwrap_err()), ["to"]);
    let missing = send(&world().app(), &fixtures::caller(), &nowhere, letter(&["anna@example.org"]), None).await;
    assert!(matches!(missing, Err(Error::NotFound { resource: Resource::Inbox, .. })));
}

#[tokio::test]
async fn scope_comes_before_permission_and_permission_before_everything_else() {
    let app = World::default().app();
    let mute = Caller { permissions: permissions(&["message_read"]), ..fixtures::inbox_caller() };
    let sibling = send(&app, &mute, &inbox_id("other@inboxd.example"), letter(&[]), None).await;
    assert!(matches!(sibling, Err(Error::InboxOutOfScope { .. })));
    let own = send(&app, &mute, &fixtures::inbox().inbox_id, letter(&[]), None).await;
    assert!(matches!(own, Err(Error::MissingPermission(Permission::MessageSend))));
}

#[tokio::test]
async fn a_pod_key_sends_from_its_pod_only() {
    let elsewhere = Caller { reach: inboxd_core::model::Reach::Pod(id(99)), ..fixtures::caller() };
    let error = send_as(world(), &elsewhere, letter(&["anna@example.org"])).await.unwrap_err();
    assert!(matches!(error, Error::PodOutOfScope));
}

#[tokio::test]
async fn writing_to_oneself_is_allowed() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    let outbox = expect_storing(tx);
    send_as(world, &fixtures::caller(), letter(&["scout@inboxd.example"])).await.unwrap();
    assert_eq!(outbox.queued.only()[0].route, Route::Local);
}

fn claim() -> SendClaim {
    SendClaim { organization_id: id(1), key: "a".to_owned(), claim_id: uuid::Uuid::from_u128(5) }
}

#[tokio::test]
async fn the_answer_to_a_key_is_kept_in_the_unit_of_work_that_stores_the_message() {
    let mut world = sending_world();
    let outbox = expect_sending(&mut world);
    let kept = Captured::<(SendClaim, Sent)>::default();
    let seen = kept.clone();
    world.last_unit_of_work().send_keys.expect_keep().once().returning(move |claim, sent, now| {
        assert_eq!(now, NOW);
        seen.push((claim.clone(), sent.clone()));
        Ok(true)
    });
    let (app, inbox_id) = (world.app(), fixtures::inbox().inbox_id);
    let sent = send(&app, &fixtures::caller(), &inbox_id, letter(&["anna@example.org"]), Some(claim())).await.unwrap();
    assert_eq!(outbox.messages.only().message.item.message_id, sent.message_id);
    assert_eq!(kept.only(), (claim(), sent));
}

#[tokio::test]
async fn a_send_whose_claim_ran_out_stores_nothing() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    tx.inboxes.expect_hold().returning(|wanted| Ok(wanted.to_vec()));
    tx.send_keys.expect_keep().once().returning(|_, _, _| Ok(false));
    let journal = world.journal.clone();
    let (app, inbox_id) = (world.app(), fixtures::inbox().inbox_id);
    let refused = send(&app, &fixtures::caller(), &inbox_id, letter(&["anna@example.org"]), Some(claim())).await;
    assert!(matches!(&refused, Err(Error::SendKeyInUse(key)) if key == "a"), "{refused:?}");
    assert_eq!(journal.entries(), []);
}

#[tokio::test]
async fn an_inbox_whose_domain_is_anothers_now_sends_nothing_and_is_told_why() {
    let lost = Inbox { inbox_id: inbox_id("ceo@example.com"), ..fixtures::inbox() };
    let sends = async |is_lost: bool| {
        let mut world = World::default();
        let found = lost.clone();
        world.store.expect_inbox().return_once(move |_, _| Ok(Some(found)));
        let destination =
            (!is_lost).then(|| Destination { inbox_id: lost.inbox_id.clone(), ..fixtures::destination() });
        world
            .store
            .expect_destinations()
            .once()
            .withf(|asked| *asked == [address("ceo@example.com")])
            .return_once(move |_| Ok(vec![destination]));
        // The next question, which is never asked for an inbox that may not send.
        let next = StoreError::Unavailable("asked".to_owned());
        world.store.expect_suppressed().times(usize::from(!is_lost)).returning(move |_, _| Err(next.clone()));
        let journal = world.journal.clone();
        let letter = letter(&["bob@outside.example"]);
        let refused = send(&world.app(), &fixtures::caller(), &lost.inbox_id, letter, None).await.unwrap_err();
        assert_eq!(journal.entries(), []);
        refused
    };
    assert!(matches!(sends(true).await, Error::DomainLost { inbox_id } if inbox_id == lost.inbox_id));
    assert!(matches!(sends(false).await, Error::Store(StoreError::Unavailable(_))));
}
