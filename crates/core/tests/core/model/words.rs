//! Enum names in the API and in storage: reading returns the written value.

use inboxd_core::model::{
    Actor, Attachment, CalendarEvent, EventBody, EventType, MetadataValue, Permission, Plan, RecipientStatus,
    SuppressionReason,
};
use inboxd_core::rules::calendar::replaced;
use inboxd_core::testing::fixtures::{attachment, calendar_event, id};
use inboxd_mail::{CalendarEntry, Disposition};

#[test]
fn permissions_plans_and_event_types_survive_round_trip() {
    for permission in Permission::ALL {
        assert_eq!(Permission::named(permission.as_str()), Some(*permission));
    }
    for event_type in EventType::ALL {
        assert_eq!(EventType::named(event_type.as_str()), Some(*event_type));
    }
    for plan in Plan::ALL {
        assert_eq!(plan.as_str().parse(), Ok(plan));
    }
    assert_eq!(Permission::named("message_reply"), None);
    assert_eq!(EventType::named("label.added"), None);
    assert!("Free".parse::<Plan>().is_err());
    assert_eq!((SuppressionReason::Bounce.as_str(), SuppressionReason::Complaint.as_str()), ("bounce", "complaint"));
}

#[test]
fn event_types_match_specification() {
    let names: Vec<&str> = EventType::ALL.iter().map(|event_type| event_type.as_str()).collect();
    assert_eq!(
        names,
        [
            "message.received",
            "message.received.spam",
            "message.received.blocked",
            "message.received.unauthenticated",
            "message.security.completed",
            "message.security.review",
            "message.security.override",
            "message.sent",
            "message.held",
            "message.approved",
            "message.delivered",
            "message.bounced",
            "message.complained",
            "message.redacted",
            "message.rejected",
            "domain.verified",
            "calendar.event.created",
            "calendar.event.updated",
            "calendar.event.deleted",
            "calendar.event.responded",
            "calendar.event.starting",
            "calendar.event.ending",
            "sending.slowed",
            "sending.held",
            "sending.resumed",
        ]
    );
}

#[test]
fn stored_json_survives_round_trip() {
    let recipients = vec![RecipientStatus { address: "a@b.example".to_owned(), status: "5.1.1".to_owned() }];
    let bounce = EventBody::Bounce { kind: "Permanent".to_owned(), sub_type: "NoEmail".to_owned(), recipients };
    let event = CalendarEvent { metadata: Some(serde_json::json!({"a": [1, -2, 0.5]})), ..calendar_event() };
    let before =
        CalendarEvent { metadata: None, entry: CalendarEntry { title: None, ..event.entry.clone() }, ..event.clone() };
    let calendar = EventBody::Calendar {
        calendar_event_id: event.event_id.clone(),
        previous: replaced(&event, &before).map(Box::new),
        event: Some(Box::new(event)),
    };
    let gone = r#"{"body":"calendar","calendar_event_id":"cev_0123456789abcdef0123456789abcdef_20261022"}"#;
    let gone: EventBody = serde_json::from_str(gone).unwrap();
    assert!(matches!(gone, EventBody::Calendar { event: None, previous: None, .. }), "{gone:?}");
    let rejected = EventBody::Reject { reason: "over the cap".to_owned() };
    for body in [EventBody::Received { verdict: None }, bounce, rejected, calendar] {
        let json = serde_json::to_string(&body).unwrap();
        assert_eq!(serde_json::from_str::<EventBody>(&json).unwrap(), body);
    }
    for content_disposition in [None, Some(Disposition::Inline), Some(Disposition::Attachment)] {
        let attachment = Attachment { content_disposition, ..attachment(1) };
        let json = serde_json::to_string(&attachment).unwrap();
        assert_eq!(serde_json::from_str::<Attachment>(&json).unwrap(), attachment);
    }
    let json = r#"[true,7,"text"]"#;
    let values: Vec<MetadataValue> = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&values).unwrap(), json);
}

#[test]
fn actor_has_api_shape() {
    let actor = Actor::ApiKey { api_key_id: id(3), name: "Sign-up".to_owned() };
    assert_eq!(actor.id(), "key_00000000000000000000000000000003");
    let json = serde_json::to_value(&actor).unwrap();
    assert_eq!(json["type"], "api_key");
    assert_eq!(json["name"], "Sign-up");
}
