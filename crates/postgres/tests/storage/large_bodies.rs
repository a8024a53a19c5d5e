//! Bodies that are too large to be read together.

use inboxd_core::model::page::Cursor;
use inboxd_core::model::{HidingLabels, Message, MessageId, Page};
use inboxd_core::ports::MessageReads;
use inboxd_core::rules::response_limits::MAX_BODY_BYTES;

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
