//! Every refusal, whatever was wrong, has one shape.

use inboxd_testkit::{Request, redacted};
use insta::assert_snapshot;
use serde_json::json;

use crate::support::{options, server, server_and_agent};

#[tokio::test]
async fn a_refusal_says_what_is_wrong_and_what_to_do() {
    let (_server, agent) = server_and_agent().await;
    let envelope = agent.get("/v0/inboxes/nobody@inboxd.localhost").await.refused(404, "not_found");
    assert_snapshot!(redacted(&envelope), @r#"
    {
      "code": "not_found",
      "docs": "[base_url]/docs/errors#not_found",
      "fix": "list the inboxes with GET /v0/inboxes",
      "message": "no such inbox: nobody@inboxd.localhost",
      "name": "NotFoundError"
    }
    "#);
}

#[tokio::test]
async fn a_validation_error_names_every_field_twice() {
    let (_server, agent) = server_and_agent().await;
    let answer = agent.post("/v0/inboxes", json!({"username": "a+b", "client_id": "a b"})).await;
    assert_snapshot!(redacted(&answer.refused(422, "validation_error")), @r#"
    {
      "code": "validation_error",
      "detail": [
        {
          "loc": [
            "body",
            "client_id"
          ],
          "msg": "a client_id has 1 to 256 characters of A-Z, a-z, 0-9, `-`, `.`, `_` and `~`",
          "type": "value_error"
        },
        {
          "loc": [
            "body",
            "username"
          ],
          "msg": "a username holds letters a to z, digits, dots, hyphens and underscores only",
          "type": "value_error"
        }
      ],
      "docs": "[base_url]/docs/errors#validation_error",
      "errors": [
        {
          "message": "a client_id has 1 to 256 characters of A-Z, a-z, 0-9, `-`, `.`, `_` and `~`",
          "path": "client_id"
        },
        {
          "message": "a username holds letters a to z, digits, dots, hyphens and underscores only",
          "path": "username"
        }
      ],
      "fix": "correct client_id, username",
      "message": "client_id: a client_id has 1 to 256 characters of A-Z, a-z, 0-9, `-`, `.`, `_` and `~`; username: a username holds letters a to z, digits, dots, hyphens and underscores only",
      "name": "ValidationError"
    }
    "#);
}

#[tokio::test]
async fn wrong_types_and_wrong_values_are_named_together() {
    let (_server, agent) = server_and_agent().await;
    let answer = agent.post("/v0/inboxes", json!({"username": "a+b", "client_id": 7})).await;
    assert_eq!(answer.bad_fields(), ["client_id", "username"]);
}

#[tokio::test]
async fn json_that_is_none_is_named() {
    let (_server, agent) = server_and_agent().await;
    for body in ["{", "{\"to\": }", "nonsense", "{\"a\":1}{", "\u{0}", "[1", "{\"username\": \"\\ud800\"}"] {
        let request = Request::new("POST", "/v0/inboxes").header("Content-Type", "application/json").body(body);
        agent.call(request).await.refused(422, "validation_error");
    }
    for body in ["[]", "7", "\"text\"", "null"] {
        let request =
            Request::new("POST", &agent.inbox("/messages/send")).header("Content-Type", "application/json").body(body);
        agent.call(request).await.refused(422, "validation_error");
    }
    let latin1 = Request::new("POST", "/v0/inboxes")
        .header("Content-Type", "application/json")
        .body(b"{\"username\":\"\xfc\"}".to_vec());
    agent.call(latin1).await.refused(422, "validation_error");
    let deep = format!("{{\"username\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = Request::new("POST", "/v0/inboxes").header("Content-Type", "application/json").body(deep);
    agent.call(deep).await.refused(422, "validation_error");
    agent.get("/v0/inboxes").await.ok();
}

#[tokio::test]
async fn a_body_of_another_type_is_refused() {
    let (_server, agent) = server_and_agent().await;
    for content_type in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"]
    {
        let request = Request::new("POST", "/v0/inboxes").header("Content-Type", content_type).body("username=a");
        agent.call(request).await.refused(415, "unsupported_media_type");
    }
    let charset =
        Request::new("POST", "/v0/inboxes").header("Content-Type", "application/json; charset=utf-8").body("{}");
    agent.call(charset).await.ok();
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let server = options().set("INBOXD_MAX_MESSAGE_BYTES", "65536").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let answer = agent.post("/v0/inboxes", json!({"username": "x".repeat(200_000)})).await;
    answer.refused(413, "payload_too_large");
    let body = json!({"human_email": "x".repeat(200_000), "username": "x"});
    server.http().post("/v0/agent/sign-up", body).await.refused(413, "payload_too_large");
    agent.get("/v0/inboxes").await.ok();
}

#[tokio::test]
async fn a_wrong_method_names_the_right_ones() {
    let (_server, agent) = server_and_agent().await;
    let table = [
        ("PUT", "/v0/inboxes".to_owned(), vec!["GET", "POST"]),
        ("GET", "/v0/agent/sign-up".to_owned(), vec!["POST"]),
        ("POST", agent.inbox(""), vec!["DELETE", "GET", "PATCH"]),
        ("DELETE", agent.inbox("/messages"), vec!["GET"]),
        ("GET", agent.inbox("/messages/send"), vec!["POST"]),
        ("PUT", agent.inbox("/messages/a@b.example"), vec!["DELETE", "GET", "PATCH"]),
        ("POST", "/v0/events".to_owned(), vec!["GET"]),
        ("DELETE", "/health".to_owned(), vec!["GET"]),
    ];
    for (method, path, expected) in table {
        let answer = agent.call(Request::new(method, &path)).await;
        answer.refused(405, "method_not_allowed");
        let mut allowed: Vec<&str> = answer
            .header("Allow")
            .unwrap()
            .split(", ")
            .filter(|method| !["HEAD", "OPTIONS"].contains(method))
            .collect();
        allowed.sort_unstable();
        assert_eq!(allowed, expected, "{method} {path}");
    }
}

#[tokio::test]
async fn unknown_routes_are_named_as_such() {
    let (server, agent) = server_and_agent().await;
    // The literal paths of the clients that this service does not offer are no ids.
    let unknown = [
        "/",
        "/v0",
        "/v0/",
        "/v1/inboxes",
        "/v0/nothing",
        "/v0/inboxes/",
        "/v0/inboxes/search",
        "/v0/calendar",
        "/v0/files",
        "/v0/apps",
        "/v0/accounts",
        "/v0/providers",
        "/v0/agent/human",
        "/v0/organizations/labs",
        "/v0/metrics/rates",
        "/v0/webhooks/polling",
        "/v0/api-keys/public-keys",
        "/docs/nothing",
        "/..%2f..%2fetc/passwd",
    ];
    for path in unknown {
        agent.get(path).await.refused(404, "route_not_found");
    }
    agent.get(&agent.inbox("/authorize")).await.refused(404, "route_not_found");
    agent.get(&agent.inbox("/nothing")).await.refused(404, "route_not_found");
    server.http().get("/v0/nothing").await.envelope().as_object().unwrap();
}

#[tokio::test]
async fn paths_and_queries_that_cannot_be_read_are_refused_in_the_same_shape() {
    let (_server, agent) = server_and_agent().await;
    for path in
        ["/v0/inboxes/%ff%fe", "/v0/inboxes/%00", "/v0/inboxes/not-an-address", "/v0/inboxes/a@b@c", "/v0/inboxes/%zz"]
    {
        let answer = agent.get(path).await;
        assert!([400, 404, 422].contains(&answer.status), "{path}: {} {}", answer.status, answer.text());
        answer.envelope().as_object().unwrap();
    }
    let answer = agent.get("/v0/events?event_types=%ff").await;
    assert!((400..500).contains(&answer.status), "{}", answer.status);
    answer.envelope().as_object().unwrap();
}

#[tokio::test]
async fn the_reference_has_every_code_that_the_service_can_answer() {
    let server = server().await;
    let page = server.http().get("/docs/errors").await;
    assert_eq!(page.status, 200);
    assert!(page.header("Content-Type").unwrap().starts_with("text/html"), "{page:?}");
    let codes = [
        "unknown_event_type",
        "missing_authorization",
        "unknown_api_key",
        "api_key_expired",
        "invalid_code",
        "missing_permission",
        "permission_escalation",
        "inbox_out_of_scope",
        "pod_out_of_scope",
        "organization_unverified",
        "recipient_suppressed",
        "recipient_blocked",
        "recipient_not_allowed",
        "read_only_entry",
        "already_exists",
        "domain_not_verified",
        "not_found",
        "route_not_found",
        "method_not_allowed",
        "payload_too_large",
        "unsupported_media_type",
        "account_exists",
        "conflict",
        "address_taken",
        "already_verified",
        "validation_error",
        "system_label",
        "inbox_limit_reached",
        "daily_limit_reached",
        "monthly_limit_reached",
        "storage_limit_reached",
        "code_attempts_exceeded",
        "too_many_requests",
        "internal_error",
        "service_unavailable",
    ];
    let text = page.text();
    for code in codes {
        assert!(text.contains(&format!("id=\"{code}\"")), "the page has no anchor for {code}");
    }
}
