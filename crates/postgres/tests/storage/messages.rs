use futures_util::future::join_all;
use inboxd_core::model::{Actor, Attachment, Cursor, HidingLabels, MessageId, MessageItem, NewMail, NewMessage};
use inboxd_core::ports::{Constraint, MessageReads, StoreError};
use inboxd_mail::Disposition;
use uuid::Uuid;

use crate::support::*;

fn full(world: &World) -> NewMessage {
    let mut mail = world.mail(1);
    let item = &mut mail.message.item;
    item.labels = ["sent", "über", "a"].into_iter().collect();
    item.cc = strings(&["cc@example.org", "\"C, D\" <cd@example.org>"]);
    item.bcc = strings(&["bcc@example.org"]);
    item.reply_to = strings(&["answers@example.org"]);
    item.in_reply_to = Some(message_id("before"));
    item.references = vec![message_id("first"), message_id("before")];
    item.size = u64::from(u32::MAX) + 1;
    item.sent_by = Some(Actor::ApiKey { api_key_id: Uuid::from_u128(8).into(), name: "worker".to_owned() });
    item.attachments = vec![attachment(5)];
    let body = &mut mail.message.body;
    body.html = Some("<p>Dear</p>".to_owned());
    body.extracted_text = Some(String::new());
    body.extracted_html = Some("<p>".to_owned());
    mail
}

fn attachment(number: u128) -> Attachment {
    Attachment {
        attachment_id: Uuid::from_u128(number).into(),
        part: 3,
        filename: Some("naïve.pdf".to_owned()),
        content_type: Some("application/pdf".to_owned()),
        content_disposition: Some(Disposition::Inline),
        content_id: None,
        size: 12,
    }
}

#[tokio::test]
async fn message_survives_round_trip() {
    let world = world().await;
    let mail = full(&world);
    world.deliver(&mail).await;
    let ids = [message_id("1"), message_id("unknown")];
    let read = world.store.messages(world.organization_id(), world.inbox_id(), &ids, HidingLabels::NONE).await.unwrap();
    assert_eq!(read, std::slice::from_ref(&mail.message));
    let one =
        world.store.message(world.organization_id(), world.inbox_id(), &ids[0], HidingLabels::NONE).await.unwrap();
    assert_eq!(one.as_ref(), Some(&mail.message));
    let raw =
        world.store.raw_message(world.organization_id(), world.inbox_id(), &ids[0], HidingLabels::NONE).await.unwrap();
    let raw = raw.unwrap();
    assert_eq!((raw.item, raw.raw), (mail.message.item, mail.raw));
}

#[tokio::test]
async fn concurrent_reads_return_their_own_messages() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    for number in 1..=20 {
        let mut mail = world.mail(number);
        // Some messages are larger than the limit of a batched read.
        mail.message.body.text = Some("x".repeat(if number % 5 == 0 { 100_000 } else { 10 }));
        world.deliver(&mail).await;
    }
    deliver(&world.store, &mail(&second, 1)).await;
    let spam = world.labelled(21, &["received", "spam"]);
    world.deliver(&spam).await;
    let foreign = organization(2, "other@example.org").organization_id;
    let (world, second) = (&world, &second.inbox_id);
    let ask = async |place: u32| {
        let number = place % 22;
        let inbox_id = if place.is_multiple_of(7) { second } else { world.inbox_id() };
        let organization_id = if place.is_multiple_of(11) { foreign } else { world.organization_id() };
        let id = message_id(&number.to_string());
        let found = world.store.message(organization_id, inbox_id, &id, HidingLabels::NONE).await.unwrap();
        let numbers = if inbox_id == second { 1..=1 } else { 1..=20 };
        let is_there = organization_id != foreign && numbers.contains(&number);
        let Some(found) = found else { return assert!(!is_there, "{place}") };
        assert!(is_there, "{place}");
        assert_eq!((&found.item.inbox_id, found.item.message_id), (inbox_id, id));
        assert_eq!(found.body.text.is_some_and(|text| text.len() == 100_000), number.is_multiple_of(5), "{place}");
    };
    join_all((0..400).map(ask)).await;
}

#[tokio::test]
async fn message_with_nul_is_stored() {
    let world = world().await;
    let mut mail = full(&world);
    mail.message.item.subject = Some("a\0b".to_owned());
    mail.message.item.attachments[0].filename = Some("x\0".to_owned());
    mail.message.body.text = Some("\0".to_owned());
    mail.message.body.headers = vec![("X".to_owned(), "\0".to_owned())];
    mail.raw = b"\0raw".to_vec();
    mail.search_text = "a\0b".to_owned();
    world.deliver(&mail).await;
    let ids = [message_id("1")];
    let read = world.store.messages(world.organization_id(), world.inbox_id(), &ids, HidingLabels::NONE).await.unwrap();
    assert_eq!(read[0].item.subject.as_deref(), Some("a\u{fffd}b"));
    assert_eq!(read[0].body.headers, mail.message.body.headers);
    let raw =
        world.store.raw_message(world.organization_id(), world.inbox_id(), &ids[0], HidingLabels::NONE).await.unwrap();
    assert_eq!(raw.unwrap().raw, mail.raw);
}

#[tokio::test]
async fn message_id_is_unique_within_inbox() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    world.deliver(&world.mail(1)).await;
    deliver(&world.store, &mail(&second, 1)).await;
    let again = NewMail { messages: vec![world.mail(1)], ..NewMail::default() };
    let taken = world.begin().await.commit_with(&again).await;
    assert_eq!(taken, Err(StoreError::Duplicate(Constraint::MessageId)));
}

#[tokio::test]
async fn foreign_organization_reads_no_message() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    world.deliver(&full(&world)).await;
    let (id, foreign, inbox_id) = (message_id("1"), other.organization_id, world.inbox_id());
    let ids = std::slice::from_ref(&id);
    let store = &world.store;
    assert_eq!(store.messages(foreign, inbox_id, ids, HidingLabels::ALL).await.unwrap(), []);
    assert_eq!(store.message(foreign, inbox_id, &id, HidingLabels::ALL).await.unwrap(), None);
    assert_eq!(store.raw_message(foreign, inbox_id, &id, HidingLabels::ALL).await.unwrap(), None);
    let of_thread =
        store.messages_of_thread(foreign, inbox_id, thread_id(1), HidingLabels::ALL, 10, None).await.unwrap();
    assert_eq!(of_thread.items, []);
    let mut tx = world.begin().await;
    assert_eq!(tx.messages().items(foreign, inbox_id, ids).await.unwrap(), []);
    assert_eq!(tx.messages().of_thread(foreign, inbox_id, thread_id(1), 9, None).await.unwrap(), []);
    assert_eq!(tx.messages().delete(foreign, inbox_id, ids).await, Err(StoreError::Contention));
}

#[tokio::test]
async fn unreadable_message_is_not_found() {
    let world = world().await;
    world.deliver(&world.labelled(1, &["received", "spam", "trash"])).await;
    let (organization_id, inbox_id, id) = (world.organization_id(), world.inbox_id(), message_id("1"));
    let spam = HidingLabels::of(&["spam"].into_iter().collect());
    for (readable, count) in [(HidingLabels::NONE, 0), (spam, 0), (HidingLabels::ALL, 1)] {
        let ids = std::slice::from_ref(&id);
        let read = world.store.messages(organization_id, inbox_id, ids, readable).await.unwrap();
        let raw = world.store.raw_message(organization_id, inbox_id, &id, readable).await.unwrap();
        let store = &world.store;
        assert_eq!(store.message(organization_id, inbox_id, &id, readable).await.unwrap().is_some(), raw.is_some());
        let of_thread =
            store.messages_of_thread(organization_id, inbox_id, thread_id(1), readable, 9, None).await.unwrap();
        assert_eq!((read.len(), usize::from(raw.is_some()), of_thread.items.len()), (count, count, count));
    }
}

#[tokio::test]
async fn attachment_is_found_within_its_thread() {
    let world = world().await;
    let mut first = world.mail(1);
    first.message.item.attachments = vec![attachment(5)];
    let mut second = world.mail(2);
    second.message.item.thread_id = thread_id(1);
    second.message.item.attachments = vec![attachment(6), attachment(7)];
    world.deliver(&first).await;
    world.deliver(&second).await;
    let find = async |thread, number: u128| {
        let id = Uuid::from_u128(number).into();
        let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id());
        let found = world.store.item_with_attachment(organization_id, inbox_id, thread, id, HidingLabels::NONE).await;
        found.unwrap().map(|item| item.message_id)
    };
    assert_eq!(find(thread_id(1), 5).await, Some(message_id("1")));
    assert_eq!(find(thread_id(1), 7).await, Some(message_id("2")));
    assert_eq!(find(thread_id(1), 8).await, None);
    assert_eq!(find(thread_id(2), 7).await, None);
}

#[tokio::test]
async fn thread_pages_are_newest_first() {
    let world = world().await;
    for number in 1..=5 {
        let mut mail = world.mail(number);
        mail.message.item.thread_id = thread_id(1);
        mail.message.item.timestamp = at(number / 2);
        world.deliver(&mail).await;
    }
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id());
        let page = world
            .store
            .messages_of_thread(organization_id, inbox_id, thread_id(1), HidingLabels::NONE, 2, after.clone())
            .await
            .unwrap();
        seen.extend(page.items.into_iter().map(|message| message.item.message_id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["5", "4", "3", "2", "1"].map(message_id));
    let mut tx = world.begin().await;
    let mut oldest_first: Vec<MessageId> = Vec::new();
    let mut after: Option<Cursor> = None;
    for expected in [2, 2, 1, 0] {
        let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id());
        let page = tx.messages().of_thread(organization_id, inbox_id, thread_id(1), 2, after.clone()).await.unwrap();
        assert_eq!(page.len(), expected);
        oldest_first.extend(page.iter().map(|item| item.message_id.clone()));
        after = page.last().map(|item| Cursor { time: item.timestamp, id: item.message_id.to_string() });
    }
    assert_eq!(oldest_first, ["1", "2", "3", "4", "5"].map(message_id));
}

#[tokio::test]
async fn labels_of_several_inboxes_are_replaced_together() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    let mails = [world.mail(1), mail(&second, 1)];
    for mail in &mails {
        world.deliver(mail).await;
    }
    let relabelled = |label: &str| {
        let items = mails.iter().map(|new| new.message.item.clone());
        items.map(|item| MessageItem { labels: [label].into_iter().collect(), ..item }).collect::<Vec<_>>()
    };
    for labels in [vec!["one"], vec!["two", "three"]] {
        let mut tx = world.begin().await;
        for label in &labels {
            tx.messages().update_labels(&relabelled(label)).await.unwrap();
        }
        tx.commit().await.unwrap();
        for item in relabelled(labels.last().unwrap()) {
            let ids = std::slice::from_ref(&item.message_id);
            let mut tx = world.begin().await;
            assert_eq!(tx.messages().items(item.organization_id, &item.inbox_id, ids).await.unwrap(), [item]);
        }
    }
}

#[tokio::test]
async fn labels_are_replaced_in_message_and_lists() {
    let world = world().await;
    world.deliver(&world.labelled(1, &["received", "unread", "spam"])).await;
    let steps: [&[&str]; 4] = [&["received", "unread"], &["received", "read"], &["trash", "read"], &[]];
    for (step, labels) in (10..).zip(steps) {
        let mut tx = world.begin().await;
        let ids = [message_id("1")];
        let mut items = tx.messages().items(world.organization_id(), world.inbox_id(), &ids).await.unwrap();
        let item = MessageItem { labels: labels.iter().copied().collect(), updated_at: at(step), ..items.remove(0) };
        tx.messages().update_labels(std::slice::from_ref(&item)).await.unwrap();
        tx.commit().await.unwrap();
        for label in ["received", "unread", "read", "spam", "trash"] {
            let query = inboxd_core::ports::MessageQuery {
                labels: strings(&[label]),
                included: HidingLabels::ALL,
                ..world.messages()
            };
            let found = world.store.list_messages(&query).await.unwrap().items;
            let wanted: &[MessageItem] = if labels.contains(&label) { std::slice::from_ref(&item) } else { &[] };
            assert_eq!(found, wanted, "{label} at step {step}");
        }
    }
    let mut tx = world.begin().await;
    tx.messages().update_labels(&[world.mail(9).message.item]).await.unwrap();
    assert_eq!(tx.commit().await, Err(StoreError::Contention));
}
