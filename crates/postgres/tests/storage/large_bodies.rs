//! Bodies that are too large to be read together.

use inboxd_core::model::page::Cursor;
use inboxd_core::model::{HidingLabels, Message, MessageId, Page};
use inboxd_core::ports::{MessageReads, OutgoingReads};
use inboxd_core::rules::response_limits::MAX_BODY_BYTES;

use crate::outgoing::{enqueue, of_message, outgoing_id};
use crate::support::*;

/// A database with one thread of messages with that many body bytes, oldest first.
async fn thread_of(sizes: &[u64]) -> World {
    let world = world().await;
    for (number, size) in (1..).zip(sizes) {
        let mut mail = world.mail(number);
        mail.message.item.thread_id = thread_id(1);
        let body = &mut mail.message.body;
        let headers = serde_json::to_string(&body.headers).unwrap().len() as u64;
        let rest = usize::try_from(size - headers).unwrap();
        body.text = Some("t".repeat(rest / 4));
        body.extracted_text = Some("e".repeat(rest / 4));
        body.extracted_html = None;
        body.extracted = None;
        body.html = Some("h".repeat(rest - rest / 4 * 2));
        world.deliver(&mail).await;
    }
    world
}

async fn page(world: &World, limit: u32, after: Option<Cursor>) -> Page<Message> {
    let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id());
    world
        .store
        .messages_of_thread(organization_id, inbox_id, thread_id(1), HidingLabels::NONE, limit, after)
        .await
        .unwrap()
}

/// Returns the ids of each page.
async fn pages(world: &World, limit: u32) -> Vec<Vec<MessageId>> {
    let mut pages = Vec::new();
    let mut after = None;
    loop {
        let page = page(world, limit, after.clone()).await;
        let bytes: usize = page.items.iter().map(|message| message.body.html.as_ref().unwrap().len()).sum();
        assert!(page.items.len() == 1 || bytes as u64 <= MAX_BODY_BYTES);
        pages.push(page.items.into_iter().map(|message| message.item.message_id).collect());
        match page.next {
            Some(next) => after = Some(next),
            None => return pages,
        }
        assert!(pages.len() < 20, "the pages are endless");
    }
}

fn ids(pages: &[&[&str]]) -> Vec<Vec<MessageId>> {
    pages.iter().map(|page| page.iter().map(|number| message_id(number)).collect()).collect()
}

#[tokio::test]
async fn thread_page_ends_at_body_size_limit() {
    let most = MAX_BODY_BYTES;
    let world = thread_of(&[1_000, most + 1, most / 2 + 1, most / 2, most / 2]).await;
    assert_eq!(pages(&world, 50).await, ids(&[&["5", "4"], &["3"], &["2"], &["1"]]));
    assert_eq!(pages(&world, 1).await, ids(&[&["5"], &["4"], &["3"], &["2"], &["1"]]));
}

#[tokio::test]
async fn small_bodies_fill_page() {
    let world = thread_of(&[1_000; 5]).await;
    assert_eq!(pages(&world, 5).await, ids(&[&["5", "4", "3", "2", "1"]]));
    assert_eq!(pages(&world, 4).await, ids(&[&["5", "4", "3", "2"], &["1"]]));
    let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id());
    let none =
        world.store.messages_of_thread(organization_id, inbox_id, thread_id(9), HidingLabels::NONE, 5, None).await;
    assert_eq!(none.unwrap(), Page { items: vec![], next: None });
}

#[tokio::test]
async fn body_sizes_match_readable_messages() {
    let world = thread_of(&[1_000, 300_001, 2_000]).await;
    let mut mail = world.labelled(4, &["received", "spam"]);
    mail.message.body.html = None;
    mail.message.body.extracted = None;
    world.deliver(&mail).await;
    let spam = {
        let headers = serde_json::to_string(&mail.message.body.headers).unwrap();
        (headers.len() + mail.message.body.text.unwrap().len()) as u64
    };
    let all = ["1", "2", "3", "4", "unknown"].map(message_id);
    let sizes = async |ids: &[MessageId], readable| {
        world.store.body_sizes(world.organization_id(), world.inbox_id(), ids, readable).await.unwrap()
    };
    assert_eq!(sizes(&all, HidingLabels::NONE).await, [2_000, 300_001, 1_000]);
    assert_eq!(sizes(&all, HidingLabels::ALL).await, [spam, 2_000, 300_001, 1_000]);
    assert_eq!(sizes(&all[..1], HidingLabels::ALL).await, [1_000]);
    let foreign = organization(2, "other@example.org").organization_id;
    let elsewhere = world.store.body_sizes(foreign, world.inbox_id(), &all, HidingLabels::ALL).await.unwrap();
    assert_eq!(elsewhere, [0; 0]);
}

#[tokio::test]
async fn large_raw_source_is_apart_from_bodies() {
    let world = world().await;
    let (organization_id, inbox_id, id) = (world.organization_id(), world.inbox_id(), message_id("1"));
    let mut mail = world.mail(1);
    mail.raw = (0..300_000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    world.deliver(&mail).await;
    let is_apart = "SELECT 1 / (octet_length(body) < 2000 AND large_raw IS NOT NULL)::integer FROM message_bodies";
    world.database.execute(is_apart).await;
    let message = world.store.message(organization_id, inbox_id, &id, HidingLabels::NONE).await.unwrap();
    assert_eq!(message, Some(mail.message));
    let source = world.store.raw_message(organization_id, inbox_id, &id, HidingLabels::NONE).await.unwrap().unwrap();
    assert!(source.raw == mail.raw);

    enqueue(&world, &[of_message(&world, 1)]).await;
    for is_deleted in [false, true] {
        if is_deleted {
            let mut tx = world.begin().await;
            tx.messages().delete(organization_id, inbox_id, std::slice::from_ref(&id)).await.unwrap();
            tx.commit().await.unwrap();
        }
        assert_eq!(world.store.size_of_outgoing(outgoing_id(1)).await.unwrap(), Some(300_000));
        assert!(world.store.raw_of_outgoing(outgoing_id(1)).await.unwrap().as_ref() == Some(&mail.raw));
    }
}
