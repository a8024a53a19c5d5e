use inboxd_core::model::{
    Actor, Event, EventBody, EventType, MessageRelease, TraceEntry, TracePlace, TraceRecord, TraceSource, TracedMessage,
};
use inboxd_core::rules::trace_summary;
use inboxd_core::testing::fixtures::{self, NOW, id};

fn entry(event_type: EventType, body: EventBody, sent_by: Option<Actor>) -> TraceEntry {
    let event = Event {
        event_id: id(60),
        event_type,
        organization_id: id(1),
        pod_id: Some(id(2)),
        inbox_id: Some(fixtures::inbox().inbox_id),
        thread_id: Some(id(10)),
        message_id: Some(fixtures::message_item().message_id),
        body,
        created_at: NOW,
        traceparent: None,
    };
    let from = fixtures::message_item().from;
    let message = TracedMessage { from, subject: None, trust: None, sent_by, in_reply_to: None };
    let place = TracePlace { at: NOW, source: TraceSource::Events, id: event.event_id.0 };
    let record =
        TraceRecord::Event { event: Box::new(event), message: Some(Box::new(message)), webhook_attempts: Vec::new() };
    TraceEntry { place, record }
}

#[test]
fn actor_of_event_is_its_author() {
    let (person, key) = (fixtures::member().actor(), fixtures::caller().actor);
    let recipients = || vec!["anna@example.org".to_owned()];
    let release = MessageRelease {
        override_id: id(60),
        actor: person.clone(),
        reason: "a known sender".to_owned(),
        released_at: NOW,
    };
    let draft_id = fixtures::draft().item.draft_id;
    for (event_type, body, expected, summary) in [
        (
            EventType::MessageSecurityOverride,
            EventBody::Override { release },
            Some(&person),
            "a known sender".to_owned(),
        ),
        (
            EventType::MessageApproved,
            EventBody::Approve { draft_id, approved_by: person.clone() },
            Some(&person),
            format!("draft {draft_id}"),
        ),
        (
            EventType::MessageRedacted,
            EventBody::Redact { redacted_by: person.clone() },
            Some(&person),
            "the content was removed".to_owned(),
        ),
        (
            EventType::MessageSent,
            EventBody::Send { recipients: recipients() },
            Some(&key),
            "to anna@example.org".to_owned(),
        ),
        // The service acts here, although a key wrote the message.
        (
            EventType::MessageDelivered,
            EventBody::Delivery { recipients: recipients() },
            None,
            "to anna@example.org".to_owned(),
        ),
        (EventType::MessageRejected, EventBody::Reject { reason: "no".to_owned() }, None, "no".to_owned()),
    ] {
        let entry = entry(event_type, body, Some(key.clone()));
        assert_eq!(entry.actor(), expected, "{event_type}");
        assert_eq!(trace_summary::summary(&entry), summary, "{event_type}");
    }
}
