//! Trace context of clients.

use inboxd_testkit::HttpRequest;

use crate::support::server_and_agent;

const IDS: &str = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7";

#[tokio::test]
async fn trace_of_client_is_logged_beside_request_id() {
    let (server, agent) = server_and_agent().await;
    let request = HttpRequest::new("GET", "/v0/inboxes").header("traceparent", &format!("00-{IDS}-01"));
    let response = agent.call(request).await;
    let id = response.header("X-Request-Id").unwrap().to_owned();
    let entry = server.log().entry("the request is logged", |entry| entry["id"] == id.as_str()).await;
    assert_eq!(entry["trace"], IDS, "{entry}");

    for bad in ["00-x-y-01", &format!("ff-{IDS}-01"), &"0".repeat(5000)] {
        let response = agent.call(HttpRequest::new("GET", "/v0/inboxes").header("traceparent", bad)).await;
        assert_eq!(response.status, 200, "{}", response.text());
        let id = response.header("X-Request-Id").unwrap().to_owned();
        let entry = server.log().entry("the request is logged", |entry| entry["id"] == id.as_str()).await;
        assert!(entry.get("trace").is_none(), "{entry}");
    }
}
