//! Key permissions: a whitelist below the scope.

use inboxd_testkit::{HttpClient, HttpRequest};
use serde_json::{Map, Value, json};

use crate::messages::{HIDING, hide};
use crate::support::{mail_to, receive, server_and_agent};

async fn key(agent: &inboxd_testkit::Persona, permissions: Value) -> HttpClient {
    agent.create_key("/v0/api-keys", json!({"name": "restricted", "permissions": permissions})).await
}

#[tokio::test]
async fn permission_outside_map_is_denied() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let id = agent.message_about("hello").await["message_id"].clone();
    let reader = key(&agent, json!({"message_read": true, "message_send": false})).await;
    reader.get(&agent.inbox("/messages")).await.ok();
    let send = json!({"to": "bob@outside.example", "text": "hello"});
    let table = [
        (reader.post(&agent.inbox("/messages/send"), send).await, "message_send"),
        (reader.patch(&agent.message(&id, ""), json!({"add_labels": ["x"]})).await, "message_update"),
        (reader.delete(&agent.message(&id, "")).await, "message_delete"),
        (reader.post("/v0/inboxes", json!({})).await, "inbox_create"),
        (reader.get("/v0/inboxes").await, "inbox_read"),
        (reader.get("/v0/api-keys").await, "api_key_read"),
        (reader.get("/v0/events").await, "event_read"),
        (reader.get("/v0/organizations").await, "organization_read"),
    ];
    for (answer, permission) in table {
        let envelope = answer.require_error(403, "missing_permission");
        assert_eq!(envelope["name"], "ForbiddenError");
        assert!(envelope["fix"].as_str().unwrap().contains(permission), "{permission}: {envelope:#}");
    }
}

#[tokio::test]
async fn events_omit_mail_without_read_permission() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let watcher = key(&agent, json!({"event_read": true})).await;
    let event = watcher.get("/v0/events").await.ok()["events"][0].clone();
    assert_eq!(event["event_type"], "message.received");
    assert!(event["message"]["message_id"].is_string(), "{event:#}");
    for hidden in ["text", "subject", "from", "preview"] {
        assert_eq!(event["message"][hidden], Value::Null, "{event:#}");
    }
    assert_eq!(event["thread"], Value::Null);
}

#[tokio::test]
async fn empty_map_denies_all_operations() {
    let (_server, agent) = server_and_agent().await;
    let nothing = key(&agent, json!({})).await;
    nothing.get("/v0/inboxes").await.require_error(403, "missing_permission");
    nothing.get(&agent.inbox("/messages")).await.require_error(403, "missing_permission");
    // A key may read its own identity.
    nothing.get("/v0/auth/me").await.ok();
}

#[tokio::test]
async fn restricted_key_cannot_create_broader_key() {
    let (_server, agent) = server_and_agent().await;
    let maker = key(&agent, json!({"api_key_create": true, "message_read": true})).await;
    let wish = json!({"name": "broader", "permissions": {"message_read": true, "message_send": true}});
    let envelope = maker.post("/v0/api-keys", wish).await.require_error(403, "permission_escalation");
    assert!(envelope["fix"].as_str().unwrap().contains("message_send"), "{envelope:#}");
    // Without a map, a child inherits the map of its parent.
    let child = maker.post("/v0/api-keys", json!({"name": "child"})).await.ok();
    assert_eq!(child["permissions"], json!({"api_key_create": true, "message_read": true}));
    let same = json!({"name": "same", "permissions": {"message_read": true}});
    let same = agent.with_key(maker.post("/v0/api-keys", same).await.ok()["api_key"].as_str().unwrap());
    same.get(&agent.inbox("/messages")).await.ok();
    same.post("/v0/api-keys", json!({"name": "grandchild"})).await.require_error(403, "missing_permission");
}

#[tokio::test]
async fn inbox_key_cannot_have_permissions_beyond_inbox() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"name": "inbox", "permissions": {"inbox_create": true, "message_read": true}});
    let answer = agent.post(&agent.inbox("/api-keys"), body).await;
    assert_eq!(answer.bad_fields(), ["permissions.inbox_create"]);
    let unrestricted = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    unrestricted.post("/v0/inboxes", json!({})).await.require_error(403, "missing_permission");
}

#[tokio::test]
async fn hidden_mail_needs_separate_permission() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "thrown away")).await;
    let id = agent.message_about("thrown away").await["message_id"].clone();
    agent.patch(&agent.message(&id, ""), json!({"add_labels": ["trash"]})).await.ok();
    let with_trash = agent.inbox("/messages?include_trash=true");
    let blind = key(&agent, json!({"message_read": true})).await;
    assert_eq!(blind.get(&with_trash).await.ok()["count"], 0);
    blind.get(&agent.message(&id, "")).await.require_error(404, "not_found");
    let seeing = key(&agent, json!({"message_read": true, "label_trash_read": true})).await;
    assert_eq!(seeing.get(&with_trash).await.ok()["count"], 1);
    seeing.get(&agent.message(&id, "")).await.ok();
}

#[tokio::test]
async fn hidden_mail_is_404_for_every_operation() {
    let (server, agent) = server_and_agent().await;
    for label in HIDING {
        receive(&server, &agent, &mail_to(&agent, label).attach("plan.txt", "text/plain", b"a plan")).await;
        let message = agent.message_about(label).await;
        hide(&server, &agent, &message["message_id"], label).await;
        let (id, thread_id) = (&message["message_id"], &message["thread_id"]);
        let hidden = agent.get(&agent.message(id, "")).await.ok();
        // All mail permissions except the one label.
        let all = [
            "message_read",
            "message_send",
            "message_update",
            "message_delete",
            "draft_create",
            "draft_read",
            "label_spam_read",
            "label_blocked_read",
            "label_unauthenticated_read",
            "label_trash_read",
        ];
        let wanted = format!("label_{label}_read");
        let others: Map<String, Value> =
            all.iter().filter(|name| **name != wanted).map(|name| ((*name).to_owned(), json!(true))).collect();
        let blind = key(&agent, others.into()).await;
        let file = format!("/attachments/{}", message["attachments"][0]["attachment_id"].as_str().unwrap());
        let to = json!({"to": "bob@outside.example", "text": "x"});
        let labels = json!({"add_labels": ["seen"]});
        let alone = |rest: &str| format!("/v0/threads/{}{rest}", thread_id.as_str().unwrap());
        let requests = [
            HttpRequest::new("GET", &agent.message(id, "")),
            HttpRequest::new("GET", &agent.message(id, "/raw")),
            HttpRequest::new("GET", &agent.message(id, "/raw")).header("Accept", "message/rfc822"),
            HttpRequest::new("GET", &agent.message(id, &file)),
            HttpRequest::new("GET", &agent.message(id, &file)).header("Accept", "application/octet-stream"),
            HttpRequest::new("PATCH", &agent.message(id, "")).json(&labels),
            HttpRequest::new("DELETE", &agent.message(id, "")),
            HttpRequest::new("POST", &agent.message(id, "/reply")).json(&json!({"text": "x"})),
            HttpRequest::new("POST", &agent.message(id, "/reply-all")).json(&json!({"text": "x"})),
            HttpRequest::new("POST", &agent.message(id, "/forward")).json(&to),
            HttpRequest::new("POST", &agent.inbox("/drafts")).json(&json!({"in_reply_to": id})),
            HttpRequest::new("POST", &agent.inbox("/drafts")).json(&json!({"forward_of": id})),
            HttpRequest::new("GET", &agent.thread(thread_id, "")),
            HttpRequest::new("GET", &agent.thread(thread_id, &file)),
            HttpRequest::new("PATCH", &agent.thread(thread_id, "")).json(&labels),
            HttpRequest::new("POST", &agent.thread(thread_id, "/notes")).json(&json!({"text": "x"})),
            HttpRequest::new("DELETE", &agent.thread(thread_id, "")),
            HttpRequest::new("GET", &alone("")),
            HttpRequest::new("GET", &alone(&file)),
            HttpRequest::new("PATCH", &alone("")).json(&labels),
            HttpRequest::new("DELETE", &alone("")),
        ];
        for request in requests {
            blind.call(request).await.require_error(404, "not_found");
        }
        // A batch skips it like an unknown id.
        let ids = json!({"message_ids": [id], "add_labels": ["seen"]});
        assert_eq!(blind.post(&agent.inbox("/messages/batch-get"), ids.clone()).await.ok()["count"], 0, "{label}");
        assert_eq!(blind.post(&agent.inbox("/messages/batch-update"), ids).await.ok()["count"], 0, "{label}");
        assert_eq!(agent.get(&agent.message(id, "")).await.ok(), hidden, "{label}: an unchanged message");
        let seeing = key(&agent, json!({"message_read": true, wanted: true})).await;
        assert_eq!(seeing.get(&agent.message(id, "")).await.ok(), hidden, "{label}");
        seeing.get(&agent.thread(thread_id, "")).await.ok();
    }
}
