use inboxd_core::app::messages::forward;
use inboxd_core::app::{AttachmentSource, Letter, LetterAttachment};
use inboxd_core::model::{Message, MessageItem};
use inboxd_core::ports::RawSource;
use inboxd_core::testing::fixtures::{self, attachment, id, mailbox, message_id};
use inboxd_mail::{attachment_content, parse};

use super::{Outbox, expect_sending, sending_world};

const RAW: &[u8] = b"From: Anna <anna@example.org>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
--b\r\nContent-Type: text/plain\r\n\r\nShall we?\r\n\
--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=notes.txt\r\n\r\nnotes\r\n--b--\r\n";

/// The message of [`RAW`], a reply to another one.
fn original() -> Message {
    let parsed = parse(RAW);
    let part = parsed.attachments[0].part;
    let item = MessageItem {
        cc: vec!["Roe, Ben <ben@example.org>".to_owned()],
        in_reply_to: Some(message_id("<parent@example.org>")),
        references: vec![message_id("<parent@example.org>")],
        attachments: vec![inboxd_core::model::Attachment { part, ..attachment(20) }],
        ..fixtures::message_item()
    };
    fixtures::message(item)
}

async fn forwarded(original: Message, letter: Letter) -> Outbox {
    let mut world = sending_world();
    let item = original.item.clone();
    world.store.expect_message().returning(move |_, _, _, _| Ok(Some(original.clone())));
    let source = RawSource { item: item.clone(), raw: RAW.to_vec() };
    world.store.expect_raw_message().returning(move |_, _, _, _| Ok(Some(source.clone())));
    let outbox = expect_sending(&mut world);
    let inbox_id = fixtures::inbox().inbox_id;
    let (app, caller) = (world.app(), fixtures::caller());
    let sent = Box::pin(forward(&app, &caller, &inbox_id, &item.message_id, letter, None)).await.unwrap();
    assert_ne!(sent.thread_id, item.thread_id, "a forward starts a thread");
    outbox
}

fn to_cleo() -> Letter {
    Letter { to: vec![mailbox("cleo@example.org")], ..Letter::default() }
}

#[tokio::test]
async fn forward_starts_thread_without_reply_fields() {
    let outbox = forwarded(original(), to_cleo()).await;
    let mail = outbox.mail();
    assert!(mail.in_reply_to.is_empty() && mail.references.is_empty());
    assert_eq!(mail.subject.as_deref(), Some("Fwd: A question"));
    assert_eq!(outbox.recipients(), ["cleo@example.org"]);
    assert_ne!(outbox.begun.only().thread_id, id(10));
    assert_eq!(outbox.joined.all(), []);
}

#[tokio::test]
async fn forward_contains_original_below_text_of_caller() {
    let letter = Letter { text: Some("Please look.".to_owned()), ..to_cleo() };
    let text = forwarded(original(), letter).await.mail().text.unwrap();
    let (own, carried) = text.split_once("---------- Forwarded message ----------").unwrap();
    assert_eq!(own.trim(), "Please look.");
    for line in [
        "From: Anna <anna@example.org>",
        "Date: Fri, 20 Nov 2026 10:00:00 +0000",
        "Subject: A question",
        "To: scout@inboxd.example",
        "Cc: Roe, Ben <ben@example.org>",
        "Shall we?",
    ] {
        assert!(carried.lines().any(|found| found == line), "{line} in {carried}");
    }
}

#[tokio::test]
async fn forward_has_html_when_either_part_has_html() {
    let mut with_html = original();
    with_html.body.html = Some("<b>Shall we?</b>".to_owned());
    let letter = || Letter { text: Some("1 < 2".to_owned()), ..to_cleo() };
    let html = forwarded(with_html, letter()).await.mail().html.unwrap();
    assert!(html.contains("<p>1 &lt; 2</p>") && html.contains("<b>Shall we?</b>"), "{html}");
    assert!(html.contains("From: Anna &lt;anna@example.org&gt;"), "{html}");

    let own_html = Letter { html: Some("<i>look</i>".to_owned()), ..letter() };
    let html = forwarded(original(), own_html).await.mail().html.unwrap();
    assert!(html.contains("<i>look</i>") && html.contains("<p>Shall we?</p>"), "{html}");
    assert_eq!(forwarded(original(), letter()).await.mail().html, None);
}

#[tokio::test]
async fn forward_appends_original_attachments() {
    let own = LetterAttachment {
        filename: Some("own.bin".to_owned()),
        content_type: None,
        content_disposition: None,
        content_id: None,
        source: AttachmentSource::Content(b"own".to_vec()),
    };
    let outbox = forwarded(original(), Letter { attachments: vec![own], ..to_cleo() }).await;
    let new = outbox.messages.only();
    let carried: Vec<_> = new
        .message
        .item
        .attachments
        .iter()
        .map(|found| (found.filename.clone().unwrap(), attachment_content(&new.raw, found.part).unwrap()))
        .collect();
    assert_eq!(carried, [("own.bin".to_owned(), b"own".to_vec()), ("notes.txt".to_owned(), b"notes".to_vec())]);
}

#[tokio::test]
async fn subject_of_caller_is_used() {
    let letter = Letter { subject: Some("Look".to_owned()), ..to_cleo() };
    assert_eq!(forwarded(original(), letter).await.mail().subject.as_deref(), Some("Look"));
}
