use inboxd_core::app::trace::{TraceFilter, list, list_for_operator};
use inboxd_core::model::{
    Caller, Event, EventBody, EventType, Reach, TraceEntry, TracePlace, TraceRecord, TraceSegment, TraceSource,
    WebhookAttempt,
};
use inboxd_core::ports::WebhookScope;
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{Captured, World};

use super::{in_inbox, permissions, world};

fn attempt() -> WebhookAttempt {
    WebhookAttempt {
        organization_id: id(1),
        attempt_id: id(70),
        webhook_id: id(50),
        event_id: id(60),
        event_type: EventType::MessageRejected,
        status_code: Some(500),
        duration_ms: 12,
        response_body: None,
        error: None,
        attempted_at: NOW,
        next_attempt_at: None,
    }
}

fn entry(webhook_attempts: Vec<WebhookAttempt>) -> TraceEntry {
    let event = Event {
        event_id: id(60),
        event_type: EventType::MessageRejected,
        organization_id: id(1),
        pod_id: Some(id(2)),
        inbox_id: Some(fixtures::inbox().inbox_id),
        thread_id: Some(id(10)),
        message_id: Some(fixtures::message_item().message_id),
        body: EventBody::Reject { reason: "no".to_owned() },
        created_at: NOW,
        traceparent: None,
    };
    let place = TracePlace { at: NOW, source: TraceSource::Events, id: event.event_id.0 };
    TraceEntry { place, record: TraceRecord::Event { event: Box::new(event), message: None, webhook_attempts } }
}

/// A world whose inbox has one event with one webhook attempt. Returns the scopes of the reads of attempts.
fn with_event() -> (World, Captured<WebhookScope>) {
    let mut world = world();
    let nothing = || Ok(TraceSegment::default());
    world.store.expect_trace_deliveries().returning(move |_| nothing());
    world.store.expect_trace_labels().returning(move |_| nothing());
    world.store.expect_trace_refusals().returning(move |_| nothing());
    world.store.expect_trace_reads().returning(move |_| nothing());
    let events = || TraceSegment { entries: vec![entry(Vec::new())], read_to: None };
    world.store.expect_trace_events().returning(move |_| Ok(events()));
    let asked = Captured::<WebhookScope>::default();
    let seen = asked.clone();
    world.store.expect_webhook_attempts_of().returning(move |scope, events, since, _| {
        assert_eq!((events, since), (&[id(60)][..], NOW));
        seen.push(scope.clone());
        Ok(vec![attempt()])
    });
    (world, asked)
}

#[tokio::test]
async fn webhook_attempts_are_within_reach_of_caller() {
    let scope = || WebhookScope { organization_id: id(1), pod_id: None, inbox_id: None, among: None };
    let inbox_id = fixtures::inbox().inbox_id;
    let pod_caller = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    for (caller, expected) in [
        // The path names the inbox, but the webhooks of the organization are within reach.
        (fixtures::caller(), scope()),
        (pod_caller, WebhookScope { pod_id: Some(id(2)), ..scope() }),
        (fixtures::inbox_caller(), WebhookScope { inbox_id: Some(inbox_id.clone()), ..scope() }),
    ] {
        let (world, asked) = with_event();
        let page = list(&world.app(), &in_inbox(&caller), &inbox_id, TraceFilter::default()).await.unwrap();
        assert_eq!((asked.only(), page.items), (expected, vec![entry(vec![attempt()])]));
    }
    let (world, asked) = with_event();
    let page = list_for_operator(&world.app(), &fixtures::inbox(), TraceFilter::default()).await.unwrap();
    assert_eq!((asked.only(), page.items), (scope(), vec![entry(vec![attempt()])]));
    let (world, asked) = with_event();
    let reader = Caller { permissions: permissions(&["message_read"]), ..fixtures::caller() };
    let page = list(&world.app(), &in_inbox(&reader), &inbox_id, TraceFilter::default()).await.unwrap();
    assert_eq!((asked.all(), page.items), (vec![], vec![entry(Vec::new())]));
}
