//! `traceparent` of webhook requests.

use std::collections::BTreeSet;

use inboxd_testkit::{HttpRequest, ReceivedRequest, WebhookReceiver};
use serde_json::json;

use super::delivery::{agent_with_local_webhooks, create_webhook_to};
use super::webhook_path;
use crate::support::{mail_to, receive};

const TRACE_ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID: &str = "00f067aa0ba902b7";

#[tokio::test]
async fn webhook_requests_are_in_trace_of_request_that_caused_event() {
    let (server, agent) = agent_with_local_webhooks().await;
    let receiver = WebhookReceiver::start().await;
    let event_types = json!({"event_types": ["message.sent", "message.delivered", "message.received"]});
    let webhook = create_webhook_to(&agent, &receiver, event_types).await;
    let mail = json!({"to": "alice@outside.example", "subject": "traced", "text": "hello"});
    let sending = HttpRequest::new("POST", &agent.inbox("/messages/send")).json(&mail);
    agent.call(sending.header("traceparent", &format!("00-{TRACE_ID}-{SPAN_ID}-01"))).await.ok();
    // The acceptance and the delivery, in any order.
    let caused = receiver.wait_for_requests(2).await;

    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let untraced = receiver.wait_for_requests(3).await.remove(2);
    assert_eq!(
        (untraced.event()["event_type"].as_str(), untraced.header("traceparent")),
        (Some("message.received"), "")
    );

    // The request for the replay has no trace.
    agent.post(&webhook_path(&webhook, "/replay"), json!({"event_id": caused[0].header("webhook-id")})).await.ok();
    let replayed = receiver.wait_for_requests(4).await.remove(3);
    let spans: BTreeSet<String> = caused.iter().chain([&replayed]).map(span_of).collect();
    assert!(spans.len() == 3 && !spans.contains(SPAN_ID), "{spans:?}");
}

/// Returns the span id of a request, which is in the trace of the client.
fn span_of(request: &ReceivedRequest) -> String {
    let header = request.header("traceparent");
    let span = header.strip_prefix(&format!("00-{TRACE_ID}-")).and_then(|behind| behind.strip_suffix("-01"));
    let span = span.unwrap_or_else(|| panic!("{} is not in the trace: {header:?}", request.event()["event_type"]));
    assert_eq!(span.len(), 16, "{header}");
    span.to_owned()
}
