//! Shapes of events.

use inboxd_core::model::event::EventRecord;
use inboxd_core::model::{
    CalendarEvent, Event, EventBody, EventId, EventType, MessageItem, Page, PolicyAction, PolicyLevel, PolicyRule,
    PolicyVerdict, RecipientStatus, ReplacedFields, SendingCounts,
};
use inboxd_core::ports::WholeEvent;
use inboxd_core::testing::fixtures;
use inboxd_mail::EntryStatus;
use serde_json::json;

use super::answers::{assert_described, thread};
use super::{answer, schema, with_key, world};

fn event(event_type: EventType, body: EventBody) -> Event {
    let MessageItem { organization_id, inbox_id, thread_id, message_id, .. } = fixtures::message_item();
    Event {
        event_id: fixtures::id::<EventId>(20),
        event_type,
        organization_id,
        pod_id: Some(fixtures::id(2)),
        inbox_id: Some(inbox_id),
        thread_id: Some(thread_id),
        message_id: Some(message_id),
        body,
        created_at: fixtures::NOW,
        traceparent: None,
    }
}

#[actix_web::test]
async fn events_of_every_type_have_documented_shape() {
    let anna = || vec!["anna@example.org".to_owned()];
    let refused = || vec![RecipientStatus { address: "anna@example.org".to_owned(), status: "5.1.1".to_owned() }];
    let bounce =
        EventBody::Bounce { kind: "Permanent".to_owned(), sub_type: "NoEmail".to_owned(), recipients: refused() };
    let complaint =
        EventBody::Complaint { kind: "abuse".to_owned(), sub_type: "General".to_owned(), recipients: anna() };
    let rule = Box::new(PolicyVerdict {
        level: PolicyLevel::Inbox(fixtures::inbox().inbox_id),
        rule: PolicyRule::FirstContact,
        action: PolicyAction::Hold,
        found: Some("anna@example.org".to_owned()),
    });
    let (draft_id, expires_at) = (fixtures::draft().item.draft_id, fixtures::NOW);
    let hold = EventBody::Hold { draft_id, rule, recipients: anna(), expires_at };
    let approval = EventBody::Approve { draft_id, approved_by: fixtures::member().actor() };
    let of = |event_type, body| EventRecord { event: event(event_type, body), mail: None };
    let of_organization = |event_type, body| EventRecord {
        event: Event { pod_id: None, inbox_id: None, thread_id: None, message_id: None, ..event(event_type, body) },
        mail: None,
    };
    let calendar = |event: Option<CalendarEvent>, previous: Option<ReplacedFields>| EventBody::Calendar {
        calendar_event_id: fixtures::calendar_event().event_id,
        event: event.map(Box::new),
        previous: previous.map(Box::new),
    };
    let replaced = ReplacedFields {
        title: Some("Elm".to_owned()),
        is_series: Some(false),
        status: Some(EntryStatus::Tentative),
        attendees: Some(Vec::new()),
        ..ReplacedFields::default()
    };
    let oak = || Some(fixtures::calendar_event());
    let brake = |counts| EventBody::Sending { reason: "12 of 100 messages bounced".to_owned(), counts };
    let events = vec![
        EventRecord {
            mail: Some((fixtures::message(fixtures::message_item()), thread())),
            ..of(EventType::MessageReceived, EventBody::Received { verdict: None })
        },
        of(EventType::MessageReceivedSpam, EventBody::Received { verdict: None }),
        of(EventType::MessageSent, EventBody::Send { recipients: anna() }),
        of(EventType::MessageHeld, hold),
        of(EventType::MessageApproved, approval),
        of(EventType::MessageDelivered, EventBody::Delivery { recipients: anna() }),
        of(EventType::MessageBounced, bounce),
        of(EventType::MessageComplained, complaint),
        of(EventType::MessageRedacted, EventBody::Redact { redacted_by: fixtures::member().actor() }),
        of(EventType::MessageRejected, EventBody::Reject { reason: "too late".to_owned() }),
        of_organization(EventType::DomainVerified, EventBody::Domain { domain: Box::new(fixtures::domain()) }),
        of(EventType::CalendarEventUpdated, calendar(oak(), Some(replaced))),
        of(EventType::CalendarEventResponded, calendar(oak(), None)),
        of(EventType::CalendarEventDeleted, calendar(None, None)),
        of(EventType::CalendarEventStarting, calendar(oak(), None)),
        of(EventType::CalendarEventEnding, calendar(None, None)),
        of_organization(EventType::SendingSlowed, brake(Some(SendingCounts { sent: 100, bounced: 12, complained: 0 }))),
        of_organization(EventType::SendingHeld, brake(Some(SendingCounts { sent: 100, bounced: 20, complained: 0 }))),
        of_organization(EventType::SendingResumed, brake(None)),
    ];
    let mut world = world();
    let events: Vec<_> = events.into_iter().map(|record| WholeEvent { record, left_out: Vec::new() }).collect();
    world.store.expect_list_events().returning(move |_| Ok(Page { items: events.clone(), next: None }));
    let answered = answer(world, with_key("get", "/v0/events")).await;
    assert_described("/v0/events", &answered.json());
    insta::assert_snapshot!(answered.pretty());
}

#[actix_web::test]
async fn event_schema_matches_only_its_type() {
    let document = serde_json::to_value(crate::openapi()).unwrap();
    let mut world = world();
    let sent = EventBody::Send { recipients: vec!["anna@example.org".to_owned()] };
    let events = vec![EventRecord { event: event(EventType::MessageSent, sent), mail: None }];
    let events: Vec<_> = events.into_iter().map(|record| WholeEvent { record, left_out: Vec::new() }).collect();
    world.store.expect_list_events().returning(move |_| Ok(Page { items: events.clone(), next: None }));
    let answered = answer(world, with_key("get", "/v0/events")).await.json();
    let described = schema::answered(&document, "get", "/v0/events");
    for (name, value) in
        [("event_type", json!("message.delivered")), ("event_type", json!("message.eaten")), ("send", json!({}))]
    {
        let mut changed = answered.clone();
        changed["events"][0][name] = value;
        assert!(!schema::problems(&document, described, &changed).is_empty(), "{name}: {changed:#}");
    }
}
