//! Redaction of messages.

use inboxd_core::model::{
    Event, EventBody, EventType, ExtractedFindings, HidingLabels, MessageItem, NewMail, PageRequest, WebhookAttempt,
};
use inboxd_core::ports::{
    AttemptQuery, CapturedMail, IndexedInbox, MessageKey, MessageQuery, MessageReads, OutgoingReads, SearchIndex,
    StoreError, WebhookReads, WebhookScope,
};
use inboxd_core::rules::redaction;
use uuid::Uuid;

use crate::outgoing::{enqueue, of_message};
use crate::support::*;

fn redacted(world: &World, number: i64) -> MessageItem {
    redaction::redacted(world.mail(number).message.item, at(99))
}

async fn redact(world: &World, number: i64) -> Result<(), StoreError> {
    let mut tx = world.begin().await;
    let fields = [("Message-ID".to_owned(), "<1@example.org>".to_owned())];
    tx.messages().redact(&redacted(world, number), &fields).await?;
    tx.commit().await
}

fn received(world: &World, number: i64) -> Event {
    Event {
        event_id: Uuid::from_u128(u128::try_from(number).unwrap()).into(),
        event_type: EventType::MessageReceived,
        organization_id: world.organization_id(),
        pod_id: Some(world.inbox.pod_id),
        inbox_id: Some(world.inbox_id().clone()),
        thread_id: Some(thread_id(number)),
        message_id: Some(message_id(&number.to_string())),
        body: EventBody::Received { verdict: None },
        created_at: at(number),
        traceparent: None,
    }
}

fn key(world: &World, number: i64) -> MessageKey {
    MessageKey {
        organization_id: world.organization_id(),
        inbox_id: world.inbox_id().clone(),
        message_id: message_id(&number.to_string()),
    }
}

async fn found(world: &World, query: MessageQuery) -> usize {
    world.store.list_messages(&query).await.unwrap().items.len()
}

#[tokio::test]
async fn redacted_message_has_no_content_and_no_search_finds_it() {
    let world = world().await;
    for number in [1, 2] {
        world.deliver(&world.mail(number)).await;
    }
    redact(&world, 1).await.unwrap();
    let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id());
    let ids = [message_id("1"), message_id("2")];
    let all = world.store.messages(organization_id, inbox_id, &ids, HidingLabels::ALL).await.unwrap();
    let [second, first] = all.try_into().unwrap();
    assert_eq!(second, world.mail(2).message, "the other message is untouched");
    assert_eq!(first.item, redacted(&world, 1));
    assert_eq!(first.body.headers, [("Message-ID".to_owned(), "<1@example.org>".to_owned())]);
    assert_eq!((first.body.text, first.body.spam, first.body.extracted), (None, None, None::<ExtractedFindings>));
    assert_eq!(first.body.authentication, world.mail(1).message.body.authentication);
    let raw = world.store.raw_message(organization_id, inbox_id, &ids[0], HidingLabels::ALL).await.unwrap().unwrap();
    assert_eq!(raw.raw, b"");
    let anna = || vec!["anna".to_owned()];
    for query in [
        MessageQuery { search: Some("dear scout".to_owned()), ..world.messages() },
        MessageQuery { search: Some("anna".to_owned()), ..world.messages() },
        MessageQuery { from: anna(), ..world.messages() },
        MessageQuery { to: vec!["agents".to_owned()], ..world.messages() },
        MessageQuery { subject: vec!["offer".to_owned()], ..world.messages() },
    ] {
        assert_eq!(found(&world, query.clone()).await, 1, "{query:?}");
    }
    assert_eq!(found(&world, world.messages()).await, 2, "lists show it");
}

#[tokio::test]
async fn large_raw_source_goes_with_the_content() {
    let world = world().await;
    let mut mail = world.mail(1);
    mail.raw = vec![b'x'; 100_000];
    world.deliver(&mail).await;
    redact(&world, 1).await.unwrap();
    let id = message_id("1");
    let raw = world.store.raw_message(world.organization_id(), world.inbox_id(), &id, HidingLabels::ALL).await;
    assert_eq!(raw.unwrap().unwrap().raw, b"");
    world.database.execute("SELECT 1 / (large_raw IS NULL)::integer FROM message_bodies").await;
}

#[tokio::test]
async fn copies_and_responses_of_webhooks_go_with_the_content() {
    let world = world().await;
    let attempt = |number: i64| WebhookAttempt {
        organization_id: world.organization_id(),
        attempt_id: Uuid::from_u128(u128::try_from(number).unwrap()).into(),
        webhook_id: Uuid::from_u128(1).into(),
        event_id: received(&world, number).event_id,
        event_type: EventType::MessageReceived,
        status_code: Some(500),
        duration_ms: 7,
        response_body: Some("cannot parse: Dear Scout".to_owned()),
        error: None,
        attempted_at: at(50 + number),
        next_attempt_at: None,
    };
    let captured = |number: i64| CapturedMail {
        message: (number < 3).then(|| key(&world, number)),
        envelope_from: address("a@example.org"),
        recipients: vec![address("b@example.org")],
        sealed: vec![1],
        captured_at: at(number),
    };
    for number in [1, 2] {
        world.deliver(&world.mail(number)).await;
    }
    let mut tx = world.begin().await;
    tx.events().append(&[received(&world, 1), received(&world, 2)]).await.unwrap();
    for number in [1, 2, 3] {
        tx.outgoing().capture(&captured(number)).await.unwrap();
    }
    tx.deliveries().log(&[attempt(1), attempt(2)]).await.unwrap();
    tx.commit().await.unwrap();
    redact(&world, 1).await.unwrap();
    assert_eq!(world.store.captured(9, 9).await.unwrap(), [captured(2), captured(3)]);
    let query = AttemptQuery {
        scope: WebhookScope { organization_id: world.organization_id(), pod_id: None, inbox_id: None, among: None },
        webhook_id: None,
        event_id: None,
        event_types: Vec::new(),
        result: None,
        status_code: None,
        start: None,
        end: None,
        page: PageRequest::default(),
    };
    let attempts = world.store.list_attempts(&query).await.unwrap().items;
    assert_eq!(attempts, [attempt(2), WebhookAttempt { response_body: None, ..attempt(1) }]);
}

#[tokio::test]
async fn queue_holds_copies_of_its_message_alone() {
    let world = world().await;
    for number in [1, 2] {
        world.deliver(&world.mail(number)).await;
    }
    enqueue(&world, &[of_message(&world, 1)]).await;
    let mut tx = world.begin().await;
    assert!(tx.outgoing().holds_message(&key(&world, 1)).await.unwrap());
    assert!(!tx.outgoing().holds_message(&key(&world, 2)).await.unwrap());
    let foreign = MessageKey { organization_id: Uuid::from_u128(9).into(), ..key(&world, 1) };
    assert!(!tx.outgoing().holds_message(&foreign).await.unwrap());
}

#[tokio::test]
async fn missing_message_cannot_be_redacted() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    assert!(matches!(redact(&world, 2).await, Err(StoreError::Contention)));
    assert_eq!(found(&world, MessageQuery { search: Some("dear".to_owned()), ..world.messages() }).await, 1);
}

#[tokio::test]
async fn index_drops_redacted_messages_like_deleted_ones() {
    let world = world().await;
    let inbox = IndexedInbox { organization_id: world.organization_id(), inbox_id: world.inbox_id().clone() };
    let mails: Vec<_> = (0..64).map(|number| world.mail(number)).collect();
    world.begin().await.commit_with(&NewMail { messages: mails, ..NewMail::default() }).await.unwrap();
    // One is redacted before it is indexed, most of the others afterwards.
    redact(&world, 0).await.unwrap();
    assert!(world.store.index_some(&inbox, Uuid::from_u128(1)).await.unwrap());
    let is = async |count: i64| {
        let check = format!("SELECT 1 / (sum(cardinality(message_ids)) = {count})::integer FROM search_documents");
        world.database.try_execute(&check).await
    };
    is(63).await.unwrap();
    for number in 1..60 {
        redact(&world, number).await.unwrap();
    }
    assert!(world.store.merge_some(&inbox, Uuid::from_u128(2), 0).await.unwrap());
    is(4).await.unwrap();
    let query = MessageQuery { search: Some("dear scout".to_owned()), ..world.messages() };
    assert_eq!(found(&world, query).await, 4);
}
