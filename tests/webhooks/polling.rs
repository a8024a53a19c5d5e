//! `…/webhooks/polling`: subscriptions that are read with a token.

use inboxd_testkit::{HttpClient, Persona, TestServer};
use serde_json::{Value, json};

use crate::support::{receive_all, server_and_agent, text_fields};

/// Returns the client of a token and the path of its events.
fn reader(server: &TestServer, created: &Value) -> (HttpClient, String) {
    let text = |name: &str| created[name].as_str().unwrap().to_owned();
    (server.http().with_key(&text("token")), format!("/v0/webhooks/polling/{}/events", text("webhook_id")))
}

async fn subscribe(agent: &Persona, path: &str, client_id: &str, types: &[&str]) -> Value {
    agent.post(path, json!({"client_id": client_id, "event_types": types})).await.ok()
}

#[tokio::test]
async fn token_reads_events_since_creation_and_resumes_after_an_event() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["before"]).await;
    let created = subscribe(&agent, "/v0/webhooks/polling", "reader", &["message.received"]).await;
    assert!(created["token"].as_str().unwrap().starts_with("poll_"), "{created:#}");
    let (client, path) = reader(&server, &created);
    assert_eq!(client.get(&path).await.ok()["count"], 0);
    receive_all(&server, &agent, &["one", "two"]).await;
    agent.post(&agent.inbox("/messages/send"), json!({"to": "bob@outside.example", "text": "x"})).await.ok();
    let first = client.get(&format!("{path}?limit=1")).await.ok();
    assert_eq!(first["events"][0]["message"]["subject"], "one");
    let token = inboxd_testkit::encoded(first["next_page_token"].as_str().unwrap());
    let second = client.get(&format!("{path}?limit=1&page_token={token}")).await.ok();
    assert_eq!(second["events"][0]["message"]["subject"], "two");
    let last = second["events"][0]["event_id"].as_str().unwrap();
    assert_eq!(client.get(&format!("{path}?after_event_id={last}")).await.ok()["events"], json!([]));
    client.get(&format!("{path}?after_event_id=nothing")).await.require_error(404, "not_found");
}

#[tokio::test]
async fn token_reads_its_subscription_and_nothing_else() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let body = json!({"client_id": "one", "event_types": ["message.received"], "inbox_ids": ["desk@inboxd.localhost"]});
    let created = agent.post("/v0/webhooks/polling", body).await.ok();
    assert_eq!(created["inbox_ids"], json!(["desk@inboxd.localhost"]));
    let (client, path) = reader(&server, &created);
    receive_all(&server, &agent, &["other"]).await;
    let mail = inboxd_testkit::MailBuilder::new("alice@outside.example", "desk@inboxd.localhost", "desk", "hello");
    server.deliver("alice@outside.example", &["desk@inboxd.localhost"], mail.raw()).await;
    let events = client.get(&path).await.ok()["events"].clone();
    assert_eq!(events.as_array().unwrap().len(), 1, "{events:#}");
    assert_eq!(events[0]["message"]["subject"], "desk");
    for other in ["/v0/events", "/v0/inboxes", "/v0/auth/me", &agent.inbox("/messages")] {
        client.get(other).await.require_error(401, "unknown_api_key");
    }
    let sibling = subscribe(&agent, "/v0/webhooks/polling", "two", &["message.sent"]).await;
    let (_, of_sibling) = reader(&server, &sibling);
    client.get(&of_sibling).await.require_error(404, "not_found");
    agent.get(&path).await.require_error(401, "unknown_api_key");
    server.http().get(&path).await.require_error(401, "missing_authorization");
}

#[tokio::test]
async fn waiting_poll_gets_the_next_event_and_ends_with_its_token() {
    let (server, agent) = server_and_agent().await;
    let created = subscribe(&agent, "/v0/webhooks/polling", "reader", &["message.received"]).await;
    let (client, path) = reader(&server, &created);
    let waiting = tokio::spawn({
        let (client, path) = (client.clone(), format!("{path}?wait=30"));
        async move { client.get(&path).await.ok() }
    });
    // An event of another type does not end the wait.
    agent.post(&agent.inbox("/messages/send"), json!({"to": "bob@outside.example", "text": "x"})).await.ok();
    receive_all(&server, &agent, &["one"]).await;
    let page = waiting.await.unwrap();
    assert_eq!((&page["count"], &page["events"][0]["message"]["subject"]), (&json!(1), &json!("one")));
    let last = page["events"][0]["event_id"].as_str().unwrap();
    assert_eq!(client.get(&format!("{path}?after_event_id={last}&wait=1")).await.ok()["count"], 0);
    assert_eq!(client.get(&format!("{path}?wait=61")).await.bad_fields(), ["wait"]);

    let refused = tokio::spawn({
        let (client, path) = (client.clone(), format!("{path}?after_event_id={last}&wait=60"));
        async move { client.get(&path).await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    agent
        .delete(&format!("/v0/webhooks/polling/{}", created["webhook_id"].as_str().unwrap()))
        .await
        .require_no_content();
    receive_all(&server, &agent, &["two"]).await;
    refused.await.unwrap().require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn repeat_replaces_the_token_and_deletion_ends_it() {
    let (server, agent) = server_and_agent().await;
    let first = subscribe(&agent, &agent.inbox("/webhooks/polling"), "reader", &["message.received"]).await;
    assert_eq!(first["inbox_id"], agent.inbox_id);
    let (old, path) = reader(&server, &first);
    let again = subscribe(&agent, &agent.inbox("/webhooks/polling"), "reader", &["message.sent"]).await;
    assert_eq!((&again["webhook_id"], &again["event_types"]), (&first["webhook_id"], &first["event_types"]));
    let (new, _) = reader(&server, &again);
    old.get(&path).await.require_error(401, "unknown_api_key");
    new.get(&path).await.ok();
    let elsewhere = json!({"client_id": "reader", "event_types": ["message.sent"]});
    agent.post("/v0/webhooks/polling", elsewhere).await.require_error(409, "conflict");

    let one = agent.inbox(&format!("/webhooks/polling/{}", first["webhook_id"].as_str().unwrap()));
    let shown = agent.get(&one).await.ok();
    assert_eq!((shown.get("token"), &shown["client_id"]), (None, &json!("reader")));
    assert_eq!(agent.get("/v0/webhooks/polling").await.ok()["count"], 0);
    assert_eq!(agent.get("/v0/webhooks").await.ok()["count"], 0);
    let listed = agent.get(&agent.inbox("/webhooks/polling")).await.ok();
    assert_eq!(text_fields(&listed, "polling_webhooks", "client_id"), ["reader"]);
    agent.delete(&one).await.require_no_content();
    new.get(&path).await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn subscriptions_are_limited_and_checked() {
    let (server, agent) = server_and_agent().await;
    for (body, fields) in [
        (json!({}), vec!["client_id", "event_types"]),
        (json!({"client_id": "a b", "event_types": []}), vec!["client_id", "event_types"]),
    ] {
        let mut found = agent.post("/v0/webhooks/polling", body).await.bad_fields();
        found.sort_unstable();
        assert_eq!(found, fields);
    }
    let unknown = json!({"client_id": "a", "event_types": ["message.eaten"]});
    agent.post("/v0/webhooks/polling", unknown).await.require_error(400, "unknown_event_type");
    for number in 0..10 {
        subscribe(&agent, "/v0/webhooks/polling", &format!("reader-{number}"), &["message.sent"]).await;
    }
    let full = json!({"client_id": "reader-10", "event_types": ["message.sent"]});
    agent.post("/v0/webhooks/polling", full).await.require_error(429, "resource_limit_reached");
    // The limits of pods and inboxes are their own; a deleted inbox takes its subscriptions along.
    let made = agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let inbox = format!("/v0/inboxes/{}", made["inbox_id"].as_str().unwrap());
    let of_inbox = subscribe(&agent, &format!("{inbox}/webhooks/polling"), "desk", &["message.received"]).await;
    let (client, path) = reader(&server, &of_inbox);
    client.get(&path).await.ok();
    agent.delete(&inbox).await.require_no_content();
    client.get(&path).await.require_error(401, "unknown_api_key");
}
