//! Attachments with text for searches: claims, attempts, and messages that change meanwhile.

use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{NewMail, NewMessage, OrganizationId};
use inboxd_core::ports::{
    AttachmentClaim, AttachmentIndex, IndexedInbox, MessageQuery, MessageReads, SearchIndex, WordSearchReads,
};
use inboxd_core::rules::redaction;
use inboxd_core::testing::fixtures::attachment;

use uuid::Uuid;

use crate::support::*;
use crate::word_search::words;

/// Returns a mail with an attachment that may have text.
fn with_attachment(world: &World, number: i64) -> NewMessage {
    let mut mail = world.mail(number);
    mail.message.item.attachments = vec![attachment(7)];
    mail
}

async fn claim(world: &World, organization_id: OrganizationId, now: i64) -> Option<AttachmentClaim> {
    world.store.claim_attachments(organization_id, at(now), at(now + 100)).await.unwrap()
}

async fn store(world: &World, claim: &AttachmentClaim, text: &str) -> bool {
    world.store.store_attachment_texts(claim, &[text.to_owned()], 0).await.unwrap()
}

async fn found(world: &World, text: &str) -> (usize, usize) {
    let query = MessageQuery { search: Some(text.to_owned()), ..world.messages() };
    let words = world.store.search_messages(&words(world, text)).await.unwrap().unwrap();
    (world.store.list_messages(&query).await.unwrap().items.len(), words.items.len())
}

#[tokio::test]
async fn texts_become_searchable_once_and_newest_first() {
    let world = world().await;
    let organization_id = world.organization_id();
    world.deliver(&world.mail(1)).await;
    for number in [3, 2] {
        world.deliver(&with_attachment(&world, number)).await;
    }
    assert_eq!(claim(&world, organization_id, 1).await, None, "nothing is due before it is received");
    let third = claim(&world, organization_id, 10).await.unwrap();
    assert_eq!((third.message.message_id.clone(), third.attempt), (message_id("3"), 1));
    let second = claim(&world, organization_id, 10).await.unwrap();
    assert_eq!(second.message.message_id, message_id("2"));
    assert_eq!(claim(&world, organization_id, 10).await, None, "both are claimed");
    assert!(store(&world, &second, "Quarterly \0 MARZIPAN").await);
    assert!(!store(&world, &second, "marzipan").await, "the claim has ended");
    assert_eq!(found(&world, "marzipan").await, (1, 1));
    assert_eq!(found(&world, "dear").await, (3, 3), "the text is still found");

    // A claim that ended without a result is repeated; the first one stores nothing then.
    let again = claim(&world, organization_id, 110).await.unwrap();
    assert_eq!((again.message.clone(), again.attempt), (third.message.clone(), 2));
    assert!(!store(&world, &third, "nougat").await);
    world.store.retry_attachments(&again, at(500)).await.unwrap();
    assert_eq!(claim(&world, organization_id, 400).await, None);
    let last = claim(&world, organization_id, 500).await.unwrap();
    assert_eq!(last.attempt, 3);
    assert!(world.store.store_attachment_texts(&last, &[], 1).await.unwrap());
    assert_eq!(claim(&world, organization_id, 9_999).await, None);
    assert_eq!(found(&world, "nougat").await, (0, 0));
}

#[tokio::test]
async fn messages_indexed_before_and_after_their_attachments_fill_pages_once() {
    let world = world().await;
    let inbox = IndexedInbox { organization_id: world.organization_id(), inbox_id: world.inbox_id().clone() };
    let numbers = || 1..=64;
    for number in numbers() {
        world.deliver(&with_attachment(&world, number)).await;
    }
    world.store.index_some(&inbox, Uuid::from_u128(1)).await.unwrap();
    for _ in numbers() {
        let claimed = claim(&world, inbox.organization_id, 99).await.unwrap();
        assert!(store(&world, &claimed, "nougat").await);
    }
    world.store.index_some(&inbox, Uuid::from_u128(2)).await.unwrap();
    for direction in [Direction::Ascending, Direction::Descending] {
        let page = PageRequest { limit: 40, after: None, direction };
        let query = MessageQuery { search: Some("dear".to_owned()), page, ..world.messages() };
        let page = world.store.list_messages(&query).await.unwrap();
        let found: Vec<_> = page.items.into_iter().map(|item| item.message_id).collect();
        let mut expected: Vec<_> = numbers().map(|number| message_id(&number.to_string())).collect();
        if direction == Direction::Descending {
            expected.reverse();
        }
        assert_eq!(found, expected[..40]);
        assert!(page.next.is_some());
    }
}

#[tokio::test]
async fn redacted_and_deleted_messages_get_no_texts() {
    let world = world().await;
    let organization_id = world.organization_id();
    let mut claims = Vec::new();
    for number in 1..=3 {
        world.deliver(&with_attachment(&world, number)).await;
        claims.push(claim(&world, organization_id, number).await.unwrap());
    }
    assert!(store(&world, &claims[2], "nougat").await);
    let mut tx = world.begin().await;
    for number in [1, 3] {
        let redacted = redaction::redacted(with_attachment(&world, number).message.item, at(99));
        tx.messages().redact(&redacted, &[]).await.unwrap();
    }
    tx.messages().delete(organization_id, world.inbox_id(), &[message_id("2")]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(found(&world, "nougat").await, (0, 0), "the redaction removed the text");
    for claim in &claims[..2] {
        assert!(!store(&world, claim, "nougat").await);
    }
    assert_eq!(found(&world, "nougat").await, (0, 0));
    assert_eq!(claim(&world, organization_id, 9_999).await, None);
}

#[tokio::test]
async fn organizations_are_walked_in_order() {
    let world = world().await;
    let mut organization_ids = vec![world.organization_id()];
    world.deliver(&with_attachment(&world, 1)).await;
    for number in [2, 3] {
        let other = organization(number, &format!("owner{number}@example.org"));
        add_organization(&world.store, &other).await;
        let inbox = inbox(&other, &format!("scout{number}@agents.example"));
        add_inbox(&world.store, &inbox).await;
        let mut message = mail(&inbox, 1);
        // The third has nothing to read.
        message.message.item.attachments = if number == 2 { vec![attachment(7)] } else { Vec::new() };
        let mail = NewMail { messages: vec![message], ..NewMail::default() };
        world.begin().await.commit_with(&mail).await.unwrap();
        organization_ids.push(other.organization_id);
    }
    let mut walked = vec![None];
    while let Some(next) = world.store.organization_to_read(*walked.last().unwrap(), at(9)).await.unwrap() {
        walked.push(Some(next));
    }
    assert_eq!(walked[1..], [Some(organization_ids[0]), Some(organization_ids[1])]);
    let claimed = claim(&world, organization_ids[1], 9).await.unwrap();
    assert_eq!(claimed.message.organization_id, organization_ids[1]);
    assert_eq!(world.store.organization_to_read(walked[1], at(9)).await.unwrap(), None, "the second is claimed");
}
