use inboxd_core::app::Letter;
use inboxd_core::app::messages::{Audience, reply};
use inboxd_core::model::{Message, MessageBody, MessageId, MessageItem, Thread};
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, mailbox, message_id};
use inboxd_core::{Error, Resource};

use super::{Outbox, expect_caps, expect_sending, sending_world};
use crate::app::{holds_sending_inbox, paths, thread_of};

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn plain(to: &[&str]) -> Letter {
    Letter {
        to: to.iter().map(|text| mailbox(text)).collect(),
        text: Some("Yes, let us.".to_owned()),
        ..Letter::default()
    }
}

/// An environment with this message in its thread, ready for a reply.
fn world_with(answered: &Message) -> (World, Outbox, Thread) {
    let mut world = sending_world();
    let found = answered.clone();
    world.store.expect_message().returning(move |_, _, _, _| Ok(Some(found.clone())));
    let outbox = expect_sending(&mut world);
    let thread = thread_of(std::slice::from_ref(&answered.item));
    let locked = thread.clone();
    let tx = world.last_unit_of_work();
    tx.threads.expect_lock_across().once().returning(move |_| Ok(vec![locked.clone()]));
    (world, outbox, thread)
}

async fn answer(answered: &Message, audience: Audience, letter: Letter) -> Outbox {
    let (world, outbox, _) = world_with(answered);
    let id = &answered.item.message_id;
    reply(&world.app(), &fixtures::caller(), &fixtures::inbox().inbox_id, id, audience, letter, None).await.unwrap();
    outbox
}

/// Returns To and Cc of the reply to a message with these fields.
async fn audience_of(item: MessageItem, audience: Audience, letter: Letter) -> (Vec<String>, Vec<String>) {
    let mail = answer(&fixtures::message(item), audience, letter).await.mail();
    let addresses = |list: &[inboxd_mail::HeaderAddress]| list.iter().map(ToString::to_string).collect();
    (addresses(&mail.to), addresses(&mail.cc))
}

fn received(from: &str, to: &[&str], cc: &[&str], reply_to: &[&str]) -> MessageItem {
    MessageItem {
        from: from.to_owned(),
        to: texts(to),
        cc: texts(cc),
        reply_to: texts(reply_to),
        ..fixtures::message_item()
    }
}

fn sent(to: &[&str], cc: &[&str]) -> MessageItem {
    MessageItem {
        labels: ["sent"].into_iter().collect(),
        sent_by: Some(fixtures::caller().actor),
        ..received("Scout <scout@inboxd.example>", to, cc, &[])
    }
}

const OWN: &str = "scout@inboxd.example";
const ANNA: &str = "Anna <anna@example.org>";

#[tokio::test]
async fn reply_goes_to_author() {
    let table: [(MessageItem, &[&str]); 7] = [
        (received(ANNA, &[OWN], &["ben@example.org"], &[]), &[ANNA]),
        (received("anna@example.org", &[OWN], &[], &[]), &["anna@example.org"]),
        (
            received(ANNA, &[OWN], &[], &["List <list@example.org>", "ben@example.org"]),
            &["List <list@example.org>", "ben@example.org"],
        ),
        (received("Doe, Anna <anna@example.org>", &[OWN], &[], &[]), &["Doe, Anna <anna@example.org>"]),
        (
            received("Anna \"the <first>\" <anna@example.org>", &[OWN], &[], &[]),
            &["Anna \"the <first>\" <anna@example.org>"],
        ),
        (sent(&["ben@example.org", ANNA], &["cleo@example.org"]), &["ben@example.org", ANNA]),
        (sent(&[OWN], &[]), &[OWN]),
    ];
    for (item, expected) in table {
        let (to, cc) = audience_of(item, Audience::Sender, plain(&[])).await;
        assert_eq!((to, cc), (texts(expected), Vec::new()));
    }
}

#[tokio::test]
async fn reply_goes_to_recipients_of_caller() {
    let item = || received(ANNA, &[OWN], &["ben@example.org"], &[]);
    let (to, _) = audience_of(item(), Audience::Sender, plain(&["cleo@example.org"])).await;
    assert_eq!(to, ["cleo@example.org"]);
    let only_cc = Letter { cc: vec![mailbox("cleo@example.org")], ..plain(&[]) };
    assert_eq!(audience_of(item(), Audience::Sender, only_cc).await, (Vec::new(), texts(&["cleo@example.org"])));
}

#[tokio::test]
async fn reply_all_goes_to_everyone_except_own_inbox() {
    type Row = (MessageItem, &'static [&'static str], &'static [&'static str]);
    let table: [Row; 8] = [
        (
            received(ANNA, &[OWN, "ben@example.org"], &["Cleo <cleo@example.org>"], &[]),
            &[ANNA, "ben@example.org"],
            &["Cleo <cleo@example.org>"],
        ),
        (
            received(ANNA, &["The Scout, Esq. <SCOUT@Inboxd.Example>"], &["Me <scout@inboxd.example>"], &[]),
            &[ANNA],
            &[],
        ),
        (
            received(ANNA, &["scout+offers@inboxd.example", "ben@example.org"], &[], &[]),
            &[ANNA, "ben@example.org"],
            &[],
        ),
        (
            received(
                ANNA,
                &["ben@example.org", "ANNA@example.org"],
                &["Ben <BEN@example.org>", "cleo@example.org"],
                &[],
            ),
            &[ANNA, "ben@example.org"],
            &["cleo@example.org"],
        ),
        (
            received(ANNA, &[OWN, "ben@example.org"], &[], &["list@example.org"]),
            &["list@example.org", "ben@example.org"],
            &[],
        ),
        (
            received("Doe, Anna <anna@example.org>", &["Roe, Ben <ben@example.org>"], &[], &[]),
            &["Doe, Anna <anna@example.org>", "Roe, Ben <ben@example.org>"],
            &[],
        ),
        (sent(&["ben@example.org", OWN], &["cleo@example.org"]), &["ben@example.org"], &["cleo@example.org"]),
        (received(ANNA, &["undisclosed-recipients", "not an address"], &[], &[]), &[ANNA], &[]),
    ];
    for (item, to, cc) in table {
        assert_eq!(audience_of(item, Audience::Everyone, plain(&[])).await, (texts(to), texts(cc)));
    }
}

#[tokio::test]
async fn reply_all_adds_recipients_of_caller_once() {
    let item = received(ANNA, &[OWN], &["ben@example.org"], &[]);
    let letter = Letter {
        cc: vec![mailbox("Ben <ben@example.org>"), mailbox("dora@example.org")],
        bcc: vec![mailbox("hidden@example.org")],
        ..plain(&["cleo@example.org", "anna@EXAMPLE.org"])
    };
    let outbox = answer(&fixtures::message(item), Audience::Everyone, letter).await;
    let expected =
        ["anna@example.org", "cleo@example.org", "ben@example.org", "dora@example.org", "hidden@example.org"];
    assert_eq!(outbox.recipients(), expected);
}

#[tokio::test]
async fn reply_to_mail_to_oneself_goes_to_oneself() {
    let (to, cc) = audience_of(sent(&[OWN], &[]), Audience::Everyone, plain(&[])).await;
    assert_eq!((to, cc), (texts(&["Scout <scout@inboxd.example>"]), Vec::new()));
}

#[tokio::test]
async fn reply_without_recipients_is_refused() {
    let mut world = sending_world();
    let nobody = fixtures::message(received("", &[], &[], &[]));
    world.store.expect_message().returning(move |_, _, _, _| Ok(Some(nobody.clone())));
    let id = fixtures::message_item().message_id;
    let (app, inbox_id) = (world.app(), fixtures::inbox().inbox_id);
    for audience in [Audience::Sender, Audience::Everyone] {
        let refused = reply(&app, &fixtures::caller(), &inbox_id, &id, audience, plain(&[]), None).await;
        assert_eq!(paths(refused.unwrap_err()), ["to"]);
    }
}

#[tokio::test]
async fn reply_joins_thread_of_its_message() {
    let (world, outbox, thread) = world_with(&fixtures::message(fixtures::message_item()));
    let id = message_id("<question@example.org>");
    let inbox_id = fixtures::inbox().inbox_id;
    let sent =
        reply(&world.app(), &fixtures::caller(), &inbox_id, &id, Audience::Sender, plain(&[]), None).await.unwrap();
    assert_eq!(sent.thread_id, thread.thread_id);
    let item = outbox.messages.only().message.item;
    assert_eq!((item.thread_id, item.in_reply_to.clone()), (thread.thread_id, Some(id)));
    assert_eq!(outbox.joined.only(), thread.joined_by(&item));
    assert_eq!(outbox.begun.all(), []);
    assert_eq!(outbox.usage.only()[0].1.threads, 0);
    let mail = outbox.mail();
    assert_eq!(mail.subject.as_deref(), Some("Re: A question"));
    assert_eq!(mail.in_reply_to, ["<question@example.org>"]);
    assert_eq!(mail.references, ["<question@example.org>"]);
}

#[tokio::test]
async fn subject_of_caller_is_used() {
    let letter = Letter { subject: Some("Something else".to_owned()), ..plain(&[]) };
    let outbox = answer(&fixtures::message(fixtures::message_item()), Audience::Sender, letter).await;
    assert_eq!(outbox.mail().subject.as_deref(), Some("Something else"));
}

fn ids(count: usize) -> Vec<MessageId> {
    (0..count).map(|number| message_id(&format!("<r{number}@example.org>"))).collect()
}

#[tokio::test]
async fn references_contain_earlier_ids_up_to_cap() {
    let before = |references: Vec<MessageId>, in_reply_to: Option<MessageId>| MessageItem {
        references,
        in_reply_to,
        ..fixtures::message_item()
    };
    let texts_of = |ids: &[MessageId]| -> Vec<String> { ids.iter().map(ToString::to_string).collect() };
    let question = [message_id("<question@example.org>")];
    let parent = message_id("<parent@example.org>");
    let table = [
        (before(Vec::new(), Some(parent.clone())), [&[parent.clone()][..], &question].concat()),
        (before(ids(3), Some(parent)), [&ids(3)[..], &question].concat()),
        (before(ids(49), None), [&ids(49)[..], &question].concat()),
        (before(ids(50), None), [&ids(1)[..], &ids(50)[2..], &question].concat()),
        (before(ids(90), None), [&ids(1)[..], &ids(90)[42..], &question].concat()),
    ];
    for (item, expected) in table {
        let mail = answer(&fixtures::message(item), Audience::Sender, plain(&[])).await.mail();
        assert!(expected.len() <= 50);
        assert_eq!(mail.references, texts_of(&expected));
    }
}

#[tokio::test]
async fn reply_refers_to_original_message_id() {
    let item = MessageItem { message_id: message_id("<minted@inboxd.example>"), ..fixtures::message_item() };
    let headers = vec![("message-id".to_owned(), " <wire@example.org> ".to_owned())];
    let answered = Message { item, body: MessageBody { headers, ..MessageBody::default() } };
    let outbox = answer(&answered, Audience::Sender, plain(&[])).await;
    assert_eq!(outbox.mail().in_reply_to, ["<wire@example.org>"]);
    assert_eq!(outbox.mail().references, ["<wire@example.org>"]);
}

#[tokio::test]
async fn reply_to_missing_or_hidden_message_is_not_found() {
    let mut world = sending_world();
    world.store.expect_message().once().returning(|_, _, _, _| Ok(None));
    let id = message_id("<question@example.org>");
    let inbox_id = fixtures::inbox().inbox_id;
    let refused = reply(&world.app(), &fixtures::caller(), &inbox_id, &id, Audience::Sender, plain(&[]), None).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Message, .. })));
}

#[tokio::test]
async fn reply_to_concurrently_deleted_thread_is_refused() {
    let mut world = sending_world();
    let found = fixtures::message(fixtures::message_item());
    world.store.expect_message().returning(move |_, _, _, _| Ok(Some(found.clone())));
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), inboxd_core::model::SendCounts::default(), 0);
    holds_sending_inbox(tx);
    tx.threads.expect_lock_across().once().returning(|_| Ok(Vec::new()));
    let journal = world.journal.clone();
    let id = message_id("<question@example.org>");
    let inbox_id = fixtures::inbox().inbox_id;
    let refused = reply(&world.app(), &fixtures::caller(), &inbox_id, &id, Audience::Sender, plain(&[]), None).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Thread, .. })));
    assert_eq!(journal.entries(), []);
}
