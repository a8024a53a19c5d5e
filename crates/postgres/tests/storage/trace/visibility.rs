//! Entries and webhook attempts that a reader of a trace sees, and rows that no reader can read.

use std::collections::BTreeSet;

use inboxd_core::model::page::PageRequest;
use inboxd_core::model::{
    Event, EventBody, EventType, HidingLabels, Reach, SmtpRefusal, TraceSegment, Webhook, WebhookAttempt,
};
use inboxd_core::ports::{TraceQuery, TraceReads, WebhookScope};
use inboxd_core::testing::fixtures;
use uuid::Uuid;

use super::{
    add_reads, add_refusals, first_read, query, read_numbers, refused, segments, sent, store, whole_organization,
};
use crate::support::*;
use crate::webhooks;

fn numbers(segment: &TraceSegment) -> Vec<u128> {
    segment.entries.iter().map(|entry| entry.place.id.as_u128()).collect()
}

/// Returns the numbers of the found delivery attempts, events and label changes.
async fn numbers_by_source(world: &World, query: &TraceQuery) -> [Vec<u128>; 3] {
    segments(world, query).await.map(|segment| numbers(&segment))
}

fn rejected(world: &World, number: u128, message: i64) -> Event {
    let body = EventBody::Reject { reason: "no".to_owned() };
    Event { event_type: EventType::MessageRejected, body, ..sent(world, number, message) }
}

#[tokio::test]
async fn reader_without_held_mail_sees_rejected_sends_and_deleted_messages() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    world.deliver(&world.labelled(2, &["received", "held"])).await;
    // Message 3 is deleted; messages 4 and 5 were never stored.
    store(&world, &[1, 2, 3]).await;
    let held = Event { event_type: EventType::MessageHeld, ..rejected(&world, 105, 5) };
    let without_message = Event {
        event_type: EventType::CalendarEventStarting,
        thread_id: None,
        message_id: None,
        ..rejected(&world, 106, 4)
    };
    let mut tx = world.begin().await;
    tx.events().append(&[rejected(&world, 104, 4), held, without_message]).await.unwrap();
    tx.commit().await.unwrap();
    let found = async |readable| numbers_by_source(&world, &TraceQuery { readable, ..query(&world) }).await;
    let of_messages = vec![101, 102, 103];
    let events = vec![101, 102, 103, 104, 105, 106];
    assert_eq!(found(HidingLabels::ALL).await, [of_messages.clone(), events, of_messages]);
    let unheld = vec![101, 103];
    assert_eq!(found(fixtures::readable()).await, [unheld.clone(), vec![101, 103, 104, 105, 106], unheld]);
    assert_eq!(found(HidingLabels::NONE).await, [vec![101], vec![101, 104, 105, 106], vec![101]]);
}

#[tokio::test]
async fn thread_filter_finds_events_and_attempts_of_mail_that_is_not_stored() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    // Message 2 is deleted, and message 3 was never stored.
    store(&world, &[1, 2, 1]).await;
    let mut tx = world.begin().await;
    tx.events().append(&[rejected(&world, 104, 3)]).await.unwrap();
    tx.commit().await.unwrap();
    for (thread, expected) in [
        (1, [vec![101, 103], vec![101, 103], vec![101, 103]]),
        (2, [vec![102], vec![102], vec![]]),
        (3, [vec![], vec![104], vec![]]),
        (4, [vec![], vec![], vec![]]),
    ] {
        let of_thread = TraceQuery { thread_id: Some(thread_id(thread)), ..query(&world) };
        assert_eq!(numbers_by_source(&world, &of_thread).await, expected, "{thread}");
    }
    // Where a message is stored, its present thread counts.
    world.database.execute("UPDATE events SET thread_id = gen_random_uuid()").await;
    let of_thread = TraceQuery { thread_id: Some(thread_id(1)), ..query(&world) };
    assert_eq!(numbers_by_source(&world, &of_thread).await[1], [101, 103]);
}

#[tokio::test]
async fn rows_of_later_versions_are_left_out_and_passed() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    store(&world, &[1, 1, 1]).await;
    let refusals: Vec<SmtpRefusal> = (101..=103).map(|number| refused(&world, number)).collect();
    add_refusals(&world, &refusals, 10, 10).await;
    let reads = [(101, 1), (102, 2), (103, 3)].map(|(number, reader)| first_read(&world, number, 1, reader));
    add_reads(&world, &reads, 20, 100).await;
    let later = [Uuid::from_u128(101), Uuid::from_u128(102)].map(|id| format!("'{id}'")).join(", ");
    for change in [
        "ALTER TABLE smtp_refusals DROP CONSTRAINT smtp_refusals_stage_check".to_owned(),
        "ALTER TABLE first_reads DROP CONSTRAINT first_reads_part_check".to_owned(),
        format!("UPDATE smtp_refusals SET stage = 'later' WHERE refusal_id IN ({later})"),
        format!("UPDATE first_reads SET part = 'later' WHERE read_id IN ({later})"),
        format!("UPDATE events SET event_type = 'message.later' WHERE event_id IN ({later})"),
        format!("UPDATE label_history SET actor = '{{\"type\": \"later\"}}' WHERE event_id IN ({later})"),
    ] {
        world.database.execute(&change).await;
    }
    let all = query(&world);
    // A page of a row and the next one.
    let first = TraceQuery { page: PageRequest { limit: 1, ..all.page.clone() }, ..all.clone() };
    let read = async |query: &TraceQuery| {
        [
            world.store.trace_refusals(query).await.unwrap(),
            world.store.trace_reads(query).await.unwrap(),
            world.store.trace_events(query).await.unwrap(),
            world.store.trace_labels(query).await.unwrap(),
        ]
    };
    for segment in read(&first).await {
        let read_to = segment.read_to.map(|place| (place.at, place.id.as_u128()));
        assert_eq!((numbers(&segment), read_to), (vec![], Some((at(102), 102))));
    }
    for segment in read(&all).await {
        assert_eq!((numbers(&segment), segment.read_to), (vec![103], None));
    }
    assert_eq!(read_numbers(&world, &all).await, [103]);
}

#[tokio::test]
async fn webhook_attempts_are_those_of_webhooks_in_scope() {
    let world = world().await;
    let (pod_id, inbox_id) = (world.inbox.pod_id, world.inbox_id().clone());
    let own = Reach::Inbox { pod_id, inbox_id: inbox_id.clone() };
    for (number, place) in [(1, Reach::Organization), (2, Reach::Pod(pod_id)), (3, own)] {
        webhooks::add(&world, &Webhook { place, ..webhooks::webhook(&world, number, 1) }).await;
    }
    let event_id = Uuid::from_u128(9).into();
    // The webhook of the last attempt is deleted.
    let attempts = [1, 2, 3, 4].map(|number: u128| WebhookAttempt {
        organization_id: world.organization_id(),
        attempt_id: Uuid::from_u128(number).into(),
        webhook_id: Uuid::from_u128(number).into(),
        event_id,
        event_type: EventType::MessageSent,
        status_code: Some(500),
        duration_ms: 7,
        response_body: None,
        error: None,
        attempted_at: at(i64::try_from(number).unwrap()),
        next_attempt_at: None,
    });
    let mut tx = world.begin().await;
    tx.deliveries().log(&attempts).await.unwrap();
    tx.commit().await.unwrap();
    let all = whole_organization(&world);
    for (scope, limit, expected) in [
        (all.clone(), 20, vec![1, 2, 3, 4]),
        (WebhookScope { pod_id: Some(pod_id), ..all.clone() }, 20, vec![2, 3]),
        // The limit counts the attempts in scope alone.
        (WebhookScope { pod_id: Some(pod_id), ..all.clone() }, 1, vec![2]),
        (WebhookScope { inbox_id: Some(inbox_id.clone()), ..all.clone() }, 20, vec![3]),
        (WebhookScope { among: Some(BTreeSet::from([inbox_id])), ..all.clone() }, 20, vec![3]),
        (WebhookScope { among: Some(BTreeSet::new()), ..all.clone() }, 20, vec![]),
        (WebhookScope { organization_id: Uuid::from_u128(99).into(), ..all }, 20, vec![]),
    ] {
        let found = world.store.webhook_attempts_of(&scope, &[event_id], at(0), limit).await.unwrap();
        let found: Vec<u128> = found.iter().map(|attempt| attempt.attempt_id.0.as_u128()).collect();
        assert_eq!(found, expected, "{scope:?}");
    }
}
