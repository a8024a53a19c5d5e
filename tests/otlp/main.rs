//! Export of traces by OTLP, of a binary with the cargo feature `otlp`.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod protobuf;

use inboxd_testkit::{HttpRequest, MailBuilder, ServerOptions, WebhookReceiver};
use serde_json::json;

use self::protobuf::exported_spans;

const TRACE_ID: u128 = 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736;
const UNSAMPLED_TRACE_ID: u128 = TRACE_ID + 1;
const SPAN_ID: u128 = 0x00f0_67aa_0ba9_02b7;

#[tokio::test]
async fn spans_are_exported_in_trace_of_client_without_addresses() {
    let (collector, receiver) = (WebhookReceiver::start().await, WebhookReceiver::start().await);
    let options = ServerOptions::new(env!("CARGO_BIN_EXE_inboxd"));
    let options = options.set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32");
    let mut server = options.set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector.url()).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let webhook = json!({"url": receiver.url(), "event_types": ["message.sent"]});
    agent.post("/v0/webhooks", webhook).await.ok();

    let mail = json!({"to": "alice@outside.example", "subject": "traced", "text": "hello"});
    let sending = HttpRequest::new("POST", &agent.inbox("/messages/send")).json(&mail);
    agent.call(sending.header("traceparent", &format!("00-{TRACE_ID:032x}-{SPAN_ID:016x}-01"))).await.ok();
    let told = receiver.wait_for_requests(1).await.remove(0);
    let list = HttpRequest::new("GET", "/v0/inboxes");
    agent.call(list.header("traceparent", &format!("00-{UNSAMPLED_TRACE_ID:032x}-{SPAN_ID:016x}-00"))).await.ok();
    let raw = MailBuilder::new("Bob <bob@outside.example>", &agent.inbox_id, "hello", "hello").raw();
    assert_eq!(server.deliver("bob@outside.example", &[&agent.inbox_id], raw).await.code, 250);
    // The end of the process exports what waits.
    assert!(server.terminate().await.success());

    let bodies: Vec<Vec<u8>> = collector.requests().into_iter().map(|request| request.body).collect();
    let spans: Vec<_> = bodies.iter().flat_map(|body| exported_spans(body)).collect();
    let named = |name: &str| {
        let found = spans.iter().find(|span| span.name.starts_with(name) || span.name.ends_with(name));
        found.unwrap_or_else(|| panic!("no span {name:?} in {spans:#?}"))
    };
    let request = named("/messages/send");
    assert_eq!((request.trace_id, request.parent_id), (TRACE_ID, SPAN_ID), "{request:?}");
    let delivery = named("deliver event");
    let header = format!("00-{TRACE_ID:032x}-{:016x}-01", delivery.span_id);
    assert_eq!((delivery.trace_id, delivery.parent_id), (request.trace_id, request.span_id), "{delivery:?}");
    assert_eq!(told.header("traceparent"), header);
    let arrival = named("receive message");
    assert!(arrival.trace_id != TRACE_ID && arrival.parent_id == 0, "{arrival:?}");
    named("deliver message");
    assert!(spans.iter().all(|span| span.trace_id != UNSAMPLED_TRACE_ID), "{spans:#?}");

    for secret in ["outside.example", "owner@example.org", &agent.inbox_id, &agent.key, &receiver.url(), "traced"] {
        let is_inside = |body: &Vec<u8>| body.windows(secret.len()).any(|bytes| bytes == secret.as_bytes());
        assert!(!bodies.iter().any(is_inside), "{secret}");
    }
}
