//! Unsupported fields and query parameters: refused or named, never ignored silently.

use inboxd_testkit::HttpRequest;
use serde_json::json;
use tokio::io::AsyncReadExt;

use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn unsupported_field_is_refused_without_effect() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let message = agent.message_about("hello").await;
    let send = json!({"to": "bob@outside.example", "text": "hi", "track_opens": true});
    let key = json!({"public_key": {"kty": "EC", "crv": "P-256", "x": "a", "y": "b"}});
    let event = json!({
        "title": "Visit", "start": "2027-01-05T10:00:00", "end": "2027-01-05T11:00:00", "dry_run": true,
        "send_invites": true, "attendees": [{"email": "bob@outside.example"}],
    });
    let domain = |field: &str| json!({"domain": "example.org", field: true});
    let calls = [
        (agent.inbox("/messages/send"), send.clone(), "track_opens"),
        (agent.message(&message["message_id"], "/reply"), json!({"text": "hi", "track_opens": true}), "track_opens"),
        (
            agent.message(&message["message_id"], "/reply-all"),
            json!({"text": "hi", "track_opens": "yes"}),
            "track_opens",
        ),
        (agent.message(&message["message_id"], "/forward"), send, "track_opens"),
        ("/v0/api-keys".to_owned(), key.clone(), "public_key"),
        (agent.inbox("/api-keys"), key, "public_key"),
        ("/v0/domains".to_owned(), domain("tracking_enabled"), "tracking_enabled"),
        ("/v0/domains".to_owned(), domain("allow_conflicting_provider"), "allow_conflicting_provider"),
        (agent.inbox("/calendar/events"), event, "dry_run"),
    ];
    let keys = agent.get("/v0/api-keys").await.ok()["count"].clone();
    for (path, body, field) in calls {
        let refusal = agent.post(&path, body).await.require_error(422, "unsupported_field");
        assert_eq!(refusal["errors"][0]["path"], field, "{refusal:#}");
        assert!(refusal["fix"].as_str().unwrap().contains(field), "{refusal:#}");
    }
    assert_eq!(agent.get("/v0/api-keys").await.ok()["count"], keys);
    assert_eq!(agent.get("/v0/domains").await.ok()["count"], 0);
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn harmless_value_of_unsupported_field_is_accepted() {
    let (_server, agent) = server_and_agent().await;
    let send = json!({"to": "bob@outside.example", "text": "hi", "track_opens": false});
    let answer = agent.post(&agent.inbox("/messages/send"), send).await;
    answer.ok();
    assert_eq!(answer.header("inboxd-ignored-fields"), None);
    agent.post("/v0/api-keys", json!({"public_key": null})).await.ok();
    let domain = json!({"domain": "example.org", "tracking_enabled": false, "allow_conflicting_provider": false});
    let domain = agent.post("/v0/domains", domain).await.ok();
    let path = format!("/v0/domains/{}", domain["domain_id"].as_str().unwrap());
    agent.patch(&path, json!({"tracking_enabled": false})).await.ok();
    agent.patch(&path, json!({"tracking_enabled": true})).await.require_error(422, "unsupported_field");
}

#[tokio::test]
async fn unknown_field_is_named_in_response() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({
        "to": "bob@outside.example", "text": "hi", "colour": "blue", "a\r\nSet-Cookie: b": 1,
        "attachments": [{"filename": "a.txt", "content": "aGk=", "compress": true}],
    });
    let answer = agent.post(&agent.inbox("/messages/send?urgent=1"), body).await;
    answer.ok();
    let ignored = answer.header("inboxd-ignored-fields").unwrap();
    let mut names: Vec<&str> = ignored.split(", ").collect();
    names.sort_unstable();
    assert_eq!(names, ["a??Set-Cookie??b", "attachments[0].compress", "colour", "urgent"]);
    assert_eq!(answer.header("set-cookie"), None);

    let answer = agent.get(&agent.inbox("/messages?limit=5&label=unread&ascending=true&labels=sent")).await;
    answer.ok();
    assert_eq!(answer.header("inboxd-ignored-fields"), Some("label"));
    let answer = agent.get(&agent.inbox("/messages?limit=5&labels=sent")).await;
    assert_eq!(answer.header("inboxd-ignored-fields"), None);
    // The repeated response names it too.
    for _ in 0..4 {
        let answer = agent.get(&agent.inbox("/messages?limit=7&label=unread")).await;
        assert_eq!(answer.header("inboxd-ignored-fields"), Some("label"));
    }
    let head = HttpRequest::new("HEAD", &agent.inbox("/messages?limit=7&label=unread")).header("Connection", "close");
    let (mut stream, mut response) = (agent.start_request(head).await, String::new());
    stream.read_to_string(&mut response).await.unwrap();
    assert!(response.contains("inboxd-ignored-fields: label\r\n"), "{response}");
    // Only calendars evaluate a condition on a change.
    let change =
        HttpRequest::new("PATCH", &agent.inbox("")).header("If-Match", "\"1\"").json(&json!({"display_name": "A"}));
    let answer = agent.call(change).await;
    answer.ok();
    assert_eq!(answer.header("inboxd-ignored-fields"), Some("if-match"));
}

#[tokio::test]
async fn thousands_of_unknown_fields_yield_short_header() {
    let (_server, agent) = server_and_agent().await;
    let fields: Vec<String> = (0..5_000).map(|number| format!("\"{}{number}\": 1", "f".repeat(100))).collect();
    let body = format!("{{{}}}", fields.join(","));
    let request = HttpRequest::new("POST", "/v0/pods").header("Content-Type", "application/json").body(body);
    let answer = agent.call(request).await;
    answer.ok();
    assert!(answer.header("inboxd-ignored-fields").unwrap().len() < 2_000);
}

#[tokio::test]
async fn event_types_without_emitter_are_stored() {
    let (_server, agent) = server_and_agent().await;
    let types = json!(["message.received", "message.opened", "calendar.event.updated", "calendar.event.created"]);
    let webhook = json!({"url": "https://hooks.example.org/a", "event_types": types});
    let webhook = agent.post("/v0/webhooks", webhook).await.ok();
    assert_eq!(webhook["event_types"], types);
    let path = format!("/v0/webhooks/{}", webhook["webhook_id"].as_str().unwrap());
    assert_eq!(agent.get(&path).await.ok()["event_types"], types);
    let bad = json!({"url": "https://hooks.example.org/b", "event_types": ["message.eaten"]});
    agent.post("/v0/webhooks", bad).await.require_error(400, "unknown_event_type");
    assert_eq!(agent.get("/v0/events?event_types=message.opened").await.ok()["count"], 0);
    agent.get("/v0/events?event_types=message.eaten").await.require_error(400, "unknown_event_type");
}

#[tokio::test]
async fn socket_subscription_names_event_types_without_emitter() {
    let (server, agent) = server_and_agent().await;
    let mut socket = agent.open_socket("/v0").await.unwrap();
    let types = json!(["message.opened", "calendar.event.updated", "calendar.event.created", "message.received"]);
    let subscribed = socket.subscribe(json!({"event_types": types})).await;
    assert_eq!(subscribed, json!({"type": "subscribed", "event_types": types}));
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    assert_eq!(socket.next_event().await["message"]["subject"], "hello");
    let refused = socket.subscribe(json!({"event_types": ["message.eaten"]})).await;
    assert_eq!((&refused["type"], &refused["code"]), (&json!("error"), &json!("unknown_event_type")));
    let alone = socket.subscribe(json!({"event_types": ["message.opened"]})).await;
    assert_eq!(alone["event_types"], json!(["message.opened"]));
}

#[tokio::test]
async fn permission_names_of_both_client_generations_are_accepted() {
    let (_server, agent) = server_and_agent().await;
    let permissions = json!({
        "messageRead": true, "inbox_read": true, "providerConnect": true, "providerShareOwner": false,
        "provider_connect": true, "labelSpamRead": false,
    });
    let made = agent.post("/v0/api-keys", json!({"permissions": permissions})).await.ok();
    let key = agent.with_key(made["api_key"].as_str().unwrap());
    key.get(&agent.inbox("/messages")).await.ok();
    key.post(&agent.inbox("/messages/send"), json!({"to": "a@example.org"}))
        .await
        .require_error(403, "missing_permission");
    let bad = json!({"permissions": {"messageEat": true}});
    agent.post("/v0/api-keys", bad).await.require_error(422, "validation_error");
}
