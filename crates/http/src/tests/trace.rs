//! Details of events in a trace.

use inboxd_core::model::{
    Actor, Event, EventBody, EventType, MessageRelease, PolicyAction, PolicyLevel, PolicyRule, PolicyVerdict,
    SecurityResult, SecurityVerdict, TraceEntry, TracePlace, TraceRecord, TraceSource,
};
use inboxd_core::testing::fixtures::{self, NOW, id};
use serde_json::{Value, json};

fn shown(event_type: EventType, body: EventBody) -> Value {
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
    let place = TracePlace { at: NOW, source: TraceSource::Events, id: event.event_id.0 };
    let record = TraceRecord::Event { event: Box::new(event), message: None, webhook_attempts: Vec::new() };
    serde_json::to_value(crate::trace_entry(TraceEntry { place, record })).unwrap()
}

#[test]
fn events_have_reason_recipients_and_actor() {
    let Actor::Member { name, .. } = fixtures::member().actor() else { panic!("no member") };
    let rule = Box::new(PolicyVerdict {
        level: PolicyLevel::Organization,
        rule: PolicyRule::FirstContact,
        action: PolicyAction::Hold,
        found: Some("anna@example.org".to_owned()),
    });
    let (draft_id, recipients) = (fixtures::draft().item.draft_id, vec!["anna@example.org".to_owned()]);
    let held = shown(EventType::MessageHeld, EventBody::Hold { draft_id, rule, recipients, expires_at: NOW });
    let words =
        "the policy of the organization holds for approval a first contact: this inbox never wrote to anna@example.org";
    assert_eq!(held["detail"], json!({"reason": words, "recipients": [{"address": "anna@example.org"}]}));
    assert_eq!(held.get("actor"), None);

    let release = MessageRelease {
        override_id: id(60),
        actor: fixtures::member().actor(),
        reason: "a known sender".to_owned(),
        released_at: NOW,
    };
    let released = shown(EventType::MessageSecurityOverride, EventBody::Override { release });
    assert_eq!(released["detail"], json!({"reason": "a known sender"}));
    assert_eq!(released["actor"]["name"], json!(name));

    let result = SecurityResult {
        verdict: SecurityVerdict::Review,
        reason: "instructions to a machine".to_owned(),
        model: "1".to_owned(),
        completed_at: NOW,
    };
    let judged = shown(EventType::MessageSecurityCompleted, EventBody::Security { result });
    assert_eq!(judged["detail"], json!({"reason": "instructions to a machine"}));

    let redacted_by = fixtures::member().actor();
    let redacted = shown(EventType::MessageRedacted, EventBody::Redact { redacted_by });
    assert_eq!((&redacted["detail"], &redacted["actor"]["name"]), (&json!({}), &json!(name)));
}
