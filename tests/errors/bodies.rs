//! Unreadable request bodies.

use inboxd_testkit::HttpRequest;
use serde_json::json;

use crate::support::{options, server_and_agent};

#[tokio::test]
async fn invalid_json_is_refused() {
    let (_server, agent) = server_and_agent().await;
    for body in ["{", "{\"to\": }", "nonsense", "{\"a\":1}{", "\u{0}", "[1", "{\"username\": \"\\ud800\"}"] {
        let request = HttpRequest::new("POST", "/v0/inboxes").header("Content-Type", "application/json").body(body);
        let envelope = agent.call(request).await.require_error(422, "validation_error");
        assert!(envelope["message"].as_str().unwrap().starts_with("the body"), "{envelope:#}");
        assert_eq!(envelope["fix"], "send a JSON object");
    }
    for body in ["[]", "7", "\"text\"", "null"] {
        let request = HttpRequest::new("POST", &agent.inbox("/messages/send"))
            .header("Content-Type", "application/json")
            .body(body);
        agent.call(request).await.require_error(422, "validation_error");
    }
    let latin1 = HttpRequest::new("POST", "/v0/inboxes")
        .header("Content-Type", "application/json")
        .body(b"{\"username\":\"\xfc\"}".to_vec());
    agent.call(latin1).await.require_error(422, "validation_error");
    let deep = format!("{{\"username\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = HttpRequest::new("POST", "/v0/inboxes").header("Content-Type", "application/json").body(deep);
    agent.call(deep).await.require_error(422, "validation_error");
    agent.get("/v0/inboxes").await.ok();
}

#[tokio::test]
async fn body_of_other_type_is_refused() {
    let (_server, agent) = server_and_agent().await;
    for content_type in ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"] {
        let request = HttpRequest::new("POST", "/v0/inboxes").header("Content-Type", content_type).body("username=a");
        agent.call(request).await.require_error(415, "unsupported_media_type");
    }
    // The default content type of `fetch` is read as JSON.
    for content_type in ["application/json; charset=utf-8", "APPLICATION/JSON", "text/plain;charset=UTF-8"] {
        let request = HttpRequest::new("POST", "/v0/inboxes").header("Content-Type", content_type);
        agent.call(request.body("{\"client_id\": \"same\"}")).await.ok();
    }
}

#[tokio::test]
async fn too_large_body_is_refused() {
    let server = options().set("INBOXD_MAX_MESSAGE_BYTES", "65536").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let answer = agent.post("/v0/inboxes", json!({"username": "x".repeat(200_000)})).await;
    answer.require_error(413, "payload_too_large");
    let body = json!({"human_email": "x".repeat(200_000), "username": "x"});
    server.http().post("/v0/agent/sign-up", body).await.require_error(413, "payload_too_large");
    agent.get("/v0/inboxes").await.ok();
}
