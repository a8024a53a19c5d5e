//! JSON of events in webhook deliveries.

use inboxd_core::model::event::EventRecord;
use inboxd_core::ports::EventJson;

use crate::views::EventView;

/// Serializes events like `GET /v0/events`.
#[derive(Debug, Clone, Copy, Default)]
pub struct EventBodies;

impl EventJson for EventBodies {
    fn event_json(&self, record: &EventRecord, truncated: &[&'static str]) -> Vec<u8> {
        // Serialization cannot fail: all keys are strings.
        serde_json::to_vec(&EventView::from(record.clone()).truncated(truncated)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use inboxd_core::model::{self, EventBody, EventType, Thread};
    use inboxd_core::testing::fixtures::{self, NOW, id};
    use serde_json::{Value, json};

    use super::*;

    fn record() -> EventRecord {
        let message = fixtures::message(fixtures::message_item());
        let thread = Thread::started_by(&message.item);
        let event = model::Event {
            event_id: id(70),
            event_type: EventType::MessageReceived,
            organization_id: id(1),
            pod_id: Some(id(2)),
            inbox_id: Some(message.item.inbox_id.clone()),
            thread_id: Some(thread.thread_id),
            message_id: Some(message.item.message_id.clone()),
            body: EventBody::Received { verdict: None },
            created_at: NOW,
            traceparent: None,
        };
        EventRecord { event, mail: Some((message, thread)) }
    }

    fn shown(record: &EventRecord, truncated: &[&'static str]) -> Option<Value> {
        serde_json::from_slice(&EventBodies.event_json(record, truncated)).ok()
    }

    #[test]
    fn webhook_body_equals_event_list() {
        let listed = serde_json::to_value(EventView::from(record())).ok();
        assert_eq!(shown(&record(), &[]), listed);
        let sent = listed.unwrap_or_default();
        assert_eq!((&sent["type"], &sent["event_type"]), (&json!("event"), &json!("message.received")));
        assert_eq!(sent["message"]["text"], json!("Shall we?"));
        assert_eq!(sent["thread"]["message_count"], json!(1));
    }

    #[test]
    fn omitted_fields_are_named() {
        let sent = shown(&record(), &["html", "text"]).unwrap_or_default();
        assert_eq!(sent["truncated"], json!(["html", "text"]));
    }
}
