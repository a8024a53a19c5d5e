//! Sources of traces.

mod visibility;

use inboxd_core::model::outgoing::SentMessage;
use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{
    Actor, DeliveryAttempt, DeliveryResult, Event, EventBody, EventType, FirstRead, HidingLabels, LabelEvent,
    LabelEventType, MessageId, ReadPart, RecipientResult, SessionTls, SmtpRefusal, SmtpStage, TraceEntry, TraceRecord,
    TraceSegment,
};
use inboxd_core::ports::{ReadBounds, RefusalBounds, TraceQuery, TraceReads, WebhookScope};
use inboxd_core::testing::fixtures;
use uuid::Uuid;

use crate::support::*;
use crate::walks::rows_read;

fn sent(world: &World, number: u128, message: i64) -> Event {
    Event {
        event_id: Uuid::from_u128(number).into(),
        event_type: EventType::MessageSent,
        organization_id: world.organization_id(),
        pod_id: Some(world.inbox.pod_id),
        inbox_id: Some(world.inbox_id().clone()),
        thread_id: Some(thread_id(message)),
        message_id: Some(message_id(&message.to_string())),
        body: EventBody::Send { recipients: strings(&["anna@example.org"]) },
        created_at: at(i64::try_from(number).unwrap()),
        traceparent: None,
    }
}

fn attempt(world: &World, number: u128, message: i64) -> DeliveryAttempt {
    DeliveryAttempt {
        organization_id: world.organization_id(),
        attempt_id: Uuid::from_u128(number).into(),
        message: SentMessage {
            pod_id: world.inbox.pod_id,
            inbox_id: world.inbox_id().clone(),
            thread_id: thread_id(message),
            message_id: message_id(&message.to_string()),
        },
        attempt: 2,
        results: vec![RecipientResult {
            recipients: strings(&["anna@example.org"]),
            result: DeliveryResult::Deferred,
            status: None,
            reply: Some("mx.example.org replied to RCPT: 451 later".to_owned()),
            server: Some("mx.example.org at 192.0.2.1".to_owned()),
            is_encrypted: Some(true),
            tls: Some(SessionTls::Dane),
        }],
        next_attempt_at: Some(at(9_000)),
        attempted_at: at(i64::try_from(number).unwrap()),
    }
}

fn labelled(world: &World, number: u128, message: i64) -> LabelEvent {
    LabelEvent {
        event_id: Uuid::from_u128(number).into(),
        event_type: LabelEventType::Added,
        organization_id: world.organization_id(),
        pod_id: world.inbox.pod_id,
        inbox_id: world.inbox_id().clone(),
        message_id: message_id(&message.to_string()),
        label: "done".to_owned(),
        actor: Actor::ApiKey { api_key_id: Uuid::from_u128(1).into(), name: "key".to_owned() },
        event_at: at(i64::try_from(number).unwrap()),
    }
}

/// Stores a record of each source at each time from 101 on, about these messages in turn.
async fn store(world: &World, messages: &[i64]) {
    let mut tx = world.begin().await;
    for (number, message) in (101..).zip(messages) {
        tx.events().append(&[sent(world, number, *message)]).await.unwrap();
        tx.outgoing().log_attempts(&[attempt(world, number, *message)]).await.unwrap();
        tx.label_history().append(&[labelled(world, number, *message)], 1000).await.unwrap();
    }
    tx.commit().await.unwrap();
}

fn query(world: &World) -> TraceQuery {
    TraceQuery {
        organization_id: world.organization_id(),
        inbox_id: world.inbox_id().clone(),
        message_id: None,
        thread_id: None,
        correspondent: None,
        start: Some(at(100)),
        end: None,
        readable: HidingLabels::ALL,
        page: PageRequest { limit: 50, after: None, direction: Direction::Ascending },
    }
}

/// Reads all sources.
async fn segments(world: &World, query: &TraceQuery) -> [TraceSegment; 3] {
    let store = &world.store;
    [
        store.trace_deliveries(query).await.unwrap(),
        store.trace_events(query).await.unwrap(),
        store.trace_labels(query).await.unwrap(),
    ]
}

/// Returns the numbers of the found records, which are equal in all sources.
async fn numbers(world: &World, query: &TraceQuery) -> Vec<u128> {
    let found = segments(world, query).await.map(|segment| {
        assert_eq!(segment.read_to, None);
        segment.entries.iter().map(|entry| entry.place.id.as_u128()).collect::<Vec<_>>()
    });
    assert!(found.iter().all(|numbers| *numbers == found[0]), "{found:?}");
    found.into_iter().next().unwrap_or_default()
}

#[tokio::test]
async fn records_survive_round_trip() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    store(&world, &[1]).await;
    let [deliveries, events, labels] = segments(&world, &query(&world)).await;
    let record =
        |segment: TraceSegment| segment.entries.into_iter().map(|entry: TraceEntry| entry.record).next().unwrap();
    assert_eq!(record(deliveries), TraceRecord::Delivery(attempt(&world, 101, 1)));
    let change = labelled(&world, 101, 1);
    assert_eq!(record(labels), TraceRecord::Label { change, thread_id: Some(thread_id(1)) });
    let TraceRecord::Event { event, message, webhook_attempts } = record(events) else { panic!("no event") };
    assert_eq!((*event, webhook_attempts), (sent(&world, 101, 1), Vec::new()));
    assert_eq!(message.unwrap().subject, world.mail(1).message.item.subject);
}

#[tokio::test]
async fn filters_apply_to_all_sources() {
    let world = world().await;
    for number in 1..=2 {
        world.deliver(&world.mail(number)).await;
    }
    world.deliver(&world.labelled(3, &["received", "spam"])).await;
    // Message 4 is deleted.
    store(&world, &[1, 2, 3, 4, 1]).await;
    assert_eq!(numbers(&world, &query(&world)).await, [101, 102, 103, 104, 105]);
    let of_message = TraceQuery { message_id: Some(message_id("1")), ..query(&world) };
    assert_eq!(numbers(&world, &of_message).await, [101, 105]);
    let of_deleted = TraceQuery { message_id: Some(message_id("4")), ..query(&world) };
    assert_eq!(numbers(&world, &of_deleted).await, [104]);
    let of_thread = TraceQuery { thread_id: Some(thread_id(2)), ..query(&world) };
    assert_eq!(numbers(&world, &of_thread).await, [102]);
    let in_time = TraceQuery { start: Some(at(102)), end: Some(at(105)), ..query(&world) };
    assert_eq!(numbers(&world, &in_time).await, [102, 103, 104]);
    let unhidden = TraceQuery { readable: HidingLabels::NONE, ..query(&world) };
    assert_eq!(numbers(&world, &unhidden).await, [101, 102, 105]);
    let unheld = TraceQuery { readable: fixtures::readable(), ..query(&world) };
    assert_eq!(numbers(&world, &unheld).await, [101, 102, 103, 104, 105]);
    let spam = TraceQuery { readable: HidingLabels::NONE.with(0), ..query(&world) };
    assert_eq!(numbers(&world, &spam).await, [101, 102, 103, 105]);
    let sender = world.mail(1).message.item.from.clone();
    let address = sender.rsplit('<').next().unwrap().trim_end_matches('>').to_ascii_lowercase();
    let with_sender = TraceQuery { correspondent: Some(address.clone()), ..query(&world) };
    assert_eq!(numbers(&world, &with_sender).await, [101, 102, 103, 105]);
    let with_part = TraceQuery { correspondent: Some(address[1..].to_owned()), ..query(&world) };
    assert_eq!(numbers(&world, &with_part).await, []);
    let elsewhere = inbox(&world.organization, "other@agents.example").inbox_id;
    assert_eq!(numbers(&world, &TraceQuery { inbox_id: elsewhere, ..query(&world) }).await, []);
    let foreign = TraceQuery { organization_id: Uuid::from_u128(99).into(), ..query(&world) };
    assert_eq!(numbers(&world, &foreign).await, []);
}

#[tokio::test]
async fn full_page_says_how_far_it_came() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    store(&world, &[1, 1, 1, 1]).await;
    for (direction, expected) in [(Direction::Ascending, [101, 102, 103]), (Direction::Descending, [104, 103, 102])] {
        let page = PageRequest { limit: 2, after: None, direction };
        for segment in segments(&world, &TraceQuery { page, ..query(&world) }).await {
            let found: Vec<u128> = segment.entries.iter().map(|entry| entry.place.id.as_u128()).collect();
            assert_eq!(found, expected);
            assert_eq!(segment.read_to, segment.entries.last().map(|entry| entry.place));
        }
    }
}

fn whole_organization(world: &World) -> WebhookScope {
    WebhookScope { organization_id: world.organization_id(), pod_id: None, inbox_id: None, among: None }
}

#[tokio::test]
async fn webhook_attempts_are_those_of_the_events() {
    let world = world().await;
    let webhook = Uuid::from_u128(7);
    let row = |number: u128, event: u128, organization: Uuid| {
        format!(
            "('{organization}', '2026-11-18 11:06:40Z'::timestamptz + {number} * interval '1 ms', '{}', '{webhook}', '{}',
                'message.rejected', 500, 3, NULL, NULL, NULL)",
            Uuid::from_u128(number),
            Uuid::from_u128(event)
        )
    };
    let own = world.organization_id().0;
    let rows = [row(1, 1, own), row(2, 1, own), row(3, 1, own), row(4, 2, own), row(5, 3, own), row(6, 1, webhook)];
    world.database.execute(&format!("INSERT INTO webhook_attempts VALUES {}", rows.join(", "))).await;
    let events = [Uuid::from_u128(1).into(), Uuid::from_u128(2).into()];
    let found = world.store.webhook_attempts_of(&whole_organization(&world), &events, at(0), 2).await.unwrap();
    let numbers: Vec<u128> = found.iter().map(|attempt| attempt.attempt_id.0.as_u128()).collect();
    assert_eq!(numbers, [1, 2, 4]);
}

fn refused(world: &World, number: u128) -> SmtpRefusal {
    SmtpRefusal {
        organization_id: world.organization_id(),
        inbox_id: world.inbox_id().clone(),
        refusal_id: Uuid::from_u128(number).into(),
        client: "192.0.2.1".to_owned(),
        helo: "client.example".to_owned(),
        envelope_from: Some("anna@example.org".to_owned()),
        recipient: "scout+x@agents.example".to_owned(),
        stage: SmtpStage::Content,
        code: 452,
        status: "4.3.1".to_owned(),
        reply: "the disk is full; try again later".to_owned(),
        count: 1,
        refused_at: at(i64::try_from(number).unwrap()),
        last_refused_at: at(i64::try_from(number).unwrap()),
    }
}

async fn add_refusals(world: &World, refusals: &[SmtpRefusal], of_inbox: u64, of_organization: u64) {
    let mut tx = world.begin().await;
    tx.refusals().add(refusals, RefusalBounds { of_inbox, of_organization }).await.unwrap();
    tx.commit().await.unwrap();
}

/// Returns the refusals that a query finds.
async fn refusals(world: &World, query: &TraceQuery) -> Vec<SmtpRefusal> {
    let segment = world.store.trace_refusals(query).await.unwrap();
    assert_eq!(segment.read_to, None);
    let refusal = |entry: TraceEntry| match entry.record {
        TraceRecord::Refusal(refusal) => *refusal,
        other => panic!("no refusal: {other:?}"),
    };
    segment.entries.into_iter().map(refusal).collect()
}

#[tokio::test]
async fn refusals_are_counted_filtered_and_purged() {
    let world = world().await;
    let report = SmtpRefusal { envelope_from: None, ..refused(&world, 103) };
    add_refusals(&world, &[refused(&world, 101), refused(&world, 102), report.clone()], 10, 10).await;
    let again = SmtpRefusal { count: 30, refused_at: at(400), last_refused_at: at(500), ..refused(&world, 102) };
    add_refusals(&world, &[again], 10, 10).await;
    let counted = SmtpRefusal { count: 31, last_refused_at: at(500), ..refused(&world, 102) };
    assert_eq!(refusals(&world, &query(&world)).await, [refused(&world, 101), counted.clone(), report.clone()]);
    let with = |address: &str| TraceQuery { correspondent: Some(address.to_owned()), ..query(&world) };
    assert_eq!(refusals(&world, &with("anna@example.org")).await, [refused(&world, 101), counted.clone()]);
    assert_eq!(refusals(&world, &with("nna@example.org")).await, []);
    let in_time = TraceQuery { start: Some(at(102)), end: Some(at(103)), ..query(&world) };
    assert_eq!(refusals(&world, &in_time).await, [counted]);
    let unlabelled = TraceQuery { readable: HidingLabels::NONE, ..query(&world) };
    assert_eq!(refusals(&world, &unlabelled).await.len(), 3);
    for nothing in [
        TraceQuery { message_id: Some(message_id("1")), ..query(&world) },
        TraceQuery { thread_id: Some(thread_id(1)), ..query(&world) },
        TraceQuery { inbox_id: inbox(&world.organization, "other@agents.example").inbox_id, ..query(&world) },
        TraceQuery { organization_id: Uuid::from_u128(99).into(), ..query(&world) },
    ] {
        assert_eq!(refusals(&world, &nothing).await, []);
    }
    let mut tx = world.begin().await;
    assert_eq!(tx.refusals().purge(at(103), 1).await.unwrap(), 1);
    assert_eq!(tx.refusals().purge(at(103), 10).await.unwrap(), 1);
    tx.commit().await.unwrap();
    assert_eq!(refusals(&world, &query(&world)).await, [report]);
}

#[tokio::test]
async fn oldest_refusals_of_inbox_and_organization_go_first() {
    let world = world().await;
    let other = |number| SmtpRefusal {
        inbox_id: inbox(&world.organization, "other@agents.example").inbox_id,
        ..refused(&world, number)
    };
    let of_other = TraceQuery { inbox_id: other(1).inbox_id, ..query(&world) };
    let numbers = async |query: &TraceQuery| {
        refusals(&world, query).await.iter().map(|refusal| refusal.refusal_id.0.as_u128()).collect::<Vec<_>>()
    };
    add_refusals(&world, &[101, 102, 103, 104].map(|number| refused(&world, number)), 3, 5).await;
    assert_eq!(numbers(&query(&world)).await, [102, 103, 104]);
    add_refusals(&world, &[105, 106, 107].map(other), 3, 5).await;
    assert_eq!(numbers(&query(&world)).await, [103, 104]);
    assert_eq!(numbers(&of_other).await, [105, 106, 107]);
}

fn first_read(world: &World, number: u128, message: i64, reader: u128) -> FirstRead {
    FirstRead {
        read_id: Uuid::from_u128(number).into(),
        organization_id: world.organization_id(),
        inbox_id: world.inbox_id().clone(),
        message_id: message_id(&message.to_string()),
        reader: Actor::ApiKey { api_key_id: Uuid::from_u128(reader).into(), name: "key".to_owned() },
        part: ReadPart::Raw,
        read_at: at(i64::try_from(number).unwrap()),
    }
}

async fn add_reads(world: &World, reads: &[FirstRead], of_message: u32, of_inbox: u64) {
    let mut tx = world.begin().await;
    tx.first_reads().add(reads, ReadBounds { of_message, of_inbox }).await.unwrap();
    tx.commit().await.unwrap();
}

/// Returns the numbers of the reads that a query finds.
async fn read_numbers(world: &World, query: &TraceQuery) -> Vec<u128> {
    let segment = world.store.trace_reads(query).await.unwrap();
    assert_eq!(segment.read_to, None);
    segment.entries.iter().map(|entry| entry.place.id.as_u128()).collect()
}

#[tokio::test]
async fn reads_are_stored_once_for_first_readers() {
    let world = world().await;
    for number in 1..=2 {
        world.deliver(&world.mail(number)).await;
    }
    world.deliver(&world.labelled(3, &["received", "spam"])).await;
    let read = |number, message, reader| first_read(&world, number, message, reader);
    add_reads(&world, &[read(103, 1, 3), read(101, 1, 1), read(104, 1, 4), read(105, 2, 1)], 2, 100).await;
    // The reader is known, the message has its readers, and another one has room for one.
    add_reads(&world, &[read(106, 1, 1), read(107, 1, 5), read(108, 2, 2), read(109, 2, 3)], 2, 100).await;
    add_reads(&world, &[read(110, 3, 1), read(111, 4, 1)], 2, 100).await;
    assert_eq!(read_numbers(&world, &query(&world)).await, [101, 103, 105, 108, 110, 111]);
    let entry = world.store.trace_reads(&query(&world)).await.unwrap().entries.remove(0);
    assert_eq!(entry.record, TraceRecord::Read { read: Box::new(read(101, 1, 1)), thread_id: Some(thread_id(1)) });
    let of_message = TraceQuery { message_id: Some(message_id("2")), ..query(&world) };
    assert_eq!(read_numbers(&world, &of_message).await, [105, 108]);
    let of_thread = TraceQuery { thread_id: Some(thread_id(1)), ..query(&world) };
    assert_eq!(read_numbers(&world, &of_thread).await, [101, 103]);
    let unhidden = TraceQuery { readable: HidingLabels::NONE, ..query(&world) };
    assert_eq!(read_numbers(&world, &unhidden).await, [101, 103, 105, 108]);
    let unheld = TraceQuery { readable: fixtures::readable(), ..query(&world) };
    assert_eq!(read_numbers(&world, &unheld).await, [101, 103, 105, 108, 110, 111]);
    let foreign = TraceQuery { organization_id: Uuid::from_u128(99).into(), ..query(&world) };
    assert_eq!(read_numbers(&world, &foreign).await, [0; 0]);
    let mut tx = world.begin().await;
    assert_eq!(tx.first_reads().purge(at(105), 1).await.unwrap(), 1);
    assert_eq!(tx.first_reads().purge(at(105), 10).await.unwrap(), 1);
    tx.commit().await.unwrap();
    assert_eq!(read_numbers(&world, &query(&world)).await, [105, 108, 110, 111]);
}

#[tokio::test]
async fn oldest_reads_of_inbox_go_first() {
    let world = world().await;
    let reads: Vec<FirstRead> = (101..=106).map(|number| first_read(&world, number, 1, number)).collect();
    add_reads(&world, &reads, 20, 3).await;
    assert_eq!(read_numbers(&world, &query(&world)).await, [104, 105, 106]);
}

/// Asserts the bounds of traces in an inbox with 20,000 events, of which one in twenty is visible.
pub(super) async fn assert_few_rows_read(world: &World) {
    let page = PageRequest { limit: 20, ..PageRequest::default() };
    let all = TraceQuery { start: None, page, readable: HidingLabels::NONE, ..query(world) };
    let of_message = TraceQuery { message_id: Some(MessageId::stored("<40@x>".to_owned())), ..all.clone() };
    let with_stranger = TraceQuery { correspondent: Some("nobody@example.org".to_owned()), ..all.clone() };
    // Each walked event costs its message, and both count with their index entries. For all that a walk may pass, one scan of
    // the messages of this small table can be cheaper.
    for (query, found, is_whole, bound) in
        [(of_message, 1, true, 10), (all, 21, false, 1_700), (with_stranger, 0, false, 15_000)]
    {
        let read = rows_read(world, async |store| {
            let segment = store.trace_events(&query).await.unwrap();
            assert_eq!((segment.entries.len(), segment.read_to.is_none()), (found, is_whole), "{query:?}");
        });
        let read = read.await;
        assert!(read <= bound, "{read} rows were read: {query:?}");
    }
}
