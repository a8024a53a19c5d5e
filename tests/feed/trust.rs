//! Readers that ask for the verdicts of received mail.

use inboxd_testkit::HttpRequest;
use serde_json::{Value, json};

use super::{deliver_mail, event_subject, page_events, path_after, start_feed};

#[tokio::test]
async fn every_reader_of_the_feed_applies_the_same_limit() {
    let (server, agent, first) = start_feed().await;
    let limited = "trust=known,trusted";
    let path = format!("{}&{limited}", path_after(&first));
    let mut stream = agent.open_stream(HttpRequest::new("GET", &path)).await.unwrap();
    let (mut socket, told) = agent.open_subscribed_socket(json!({"trust": ["known", "trusted"]})).await;
    assert_eq!(told["trust"], json!(["trusted", "known"]));
    deliver_mail(&server, &agent.inbox_id, "from a stranger").await;
    agent.send(json!({"to": "alice@outside.example", "subject": "out", "text": "hello"})).await;
    deliver_mail(&server, &agent.inbox_id, "from a correspondent").await;

    let received = |events: Vec<Value>| {
        let received = events.into_iter().filter(|event| event["event_type"] == "message.received");
        received.map(|event| event["message"]["subject"].clone()).collect::<Vec<_>>()
    };
    let page = page_events(&agent.get(&path).await.ok());
    assert!(page.iter().any(|event| event["event_type"] == "message.sent"), "other events are not concerned");
    assert_eq!(received(page), ["from a correspondent"]);
    let list = page_events(&agent.get(&format!("/v0/events?{limited}")).await.ok());
    assert_eq!(received(list), ["from a correspondent"]);
    let strangers = "/v0/events?trust=first_contact&event_types=message.received";
    let list = page_events(&agent.get(strangers).await.ok());
    assert_eq!(received(list), ["from a stranger", "first"]);
    for next in [&mut stream.next_event().await, &mut socket.next_event().await] {
        assert_eq!(event_subject(next), "message.sent");
    }
    loop {
        let event = stream.next_event().await;
        if event["event_type"] == "message.received" {
            assert_eq!(event_subject(&event), "from a correspondent");
            break;
        }
    }
    // A stream that resumes behind the first event reads the table.
    let resumed = format!("{path}&event_types=message.received");
    let mut resumed = agent.open_stream(HttpRequest::new("GET", &resumed)).await.unwrap();
    assert_eq!(event_subject(&resumed.next_event().await), "from a correspondent");
    let waited = format!("{}&wait=5&trust=known&event_types=message.received", path_after(&first));
    assert_eq!(received(page_events(&agent.get(&waited).await.ok())), ["from a correspondent"]);
    agent.get("/v0/events?trust=certain").await.require_error(422, "validation_error");
}
