//! Permissions are a whitelist, and scope wins over them.

use inboxd_testkit::{Http, Request};
use serde_json::{Map, Value, json};

use crate::messages::{HIDING, hide};
use crate::support::{mail_to, receive, server_and_agent};

async fn key(agent: &inboxd_testkit::Persona, permissions: Value) -> Http {
    agent.key_with("/v0/api-keys", json!({"name": "restricted", "permissions": permissions})).await
}

#[tokio::test]
async fn what_the_map_does_not_grant_is_denied() {
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
        let envelope = answer.refused(403, "missing_permission");
        assert_eq!(envelope["name"], "ForbiddenError");
        assert!(envelope["fix"].as_str().unwrap().contains(permission), "{permission}: {envelope:#}");
    }
}

#[tokio::test]
async fn events_show_no_mail_to_a_key_that_may_not_read_it() {
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
async fn an_empty_map_denies_everything() {
    let (_server, agent) = server_and_agent().await;
    let nothing = key(&agent, json!({})).await;
    nothing.get("/v0/inboxes").await.refused(403, "missing_permission");
    nothing.get(&agent.inbox("/messages")).await.refused(403, "missing_permission");
    // Who a key is, is no secret to the key.
    nothing.get("/v0/auth/me").await.ok();
}

#[tokio::test]
async fn a_restricted_key_cannot_make_a_broader_one() {
    let (_server, agent) = server_and_agent().await;
    let maker = key(&agent, json!({"api_key_create": true, "message_read": true})).await;
    let wish = json!({"name": "broader", "permissions": {"message_read": true, "message_send": true}});
    let envelope = maker.post("/v0/api-keys", wish).await.refused(403, "permission_escalation");
    assert!(envelope["fix"].as_str().unwrap().contains("message_send"), "{envelope:#}");
    // Without a map, a child gets its parent's.
    let child = maker.post("/v0/api-keys", json!({"name": "child"})).await.ok();
    assert_eq!(child["permissions"], json!({"api_key_create": true, "message_read": true}));
    let same = json!({"name": "same", "permissions": {"message_read": true}});
    let same = agent.with_key(maker.post("/v0/api-keys", same).await.ok()["api_key"].as_str().unwrap());
    same.get(&agent.inbox("/messages")).await.ok();
    same.post("/v0/api-keys", json!({"name": "grandchild"})).await.refused(403, "missing_permission");
}

#[tokio::test]
async fn a_key_of_an_inbox_cannot_hold_what_reaches_beyond_it() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"name": "inbox", "permissions": {"inbox_create": true, "message_read": true}});
    let answer = agent.post(&agent.inbox("/api-keys"), body).await;
    assert_eq!(answer.bad_fields(), ["permissions.inbox_create"]);
    let unrestricted = agent.key_with(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    unrestricted.post("/v0/inboxes", json!({})).await.refused(403, "missing_permission");
}

#[tokio::test]
async fn hidden_mail_needs_its_own_permission() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "thrown away")).await;
    let id = agent.message_about("thrown away").await["message_id"].clone();
    agent.patch(&agent.message(&id, ""), json!({"add_labels": ["trash"]})).await.ok();
    let with_trash = agent.inbox("/messages?include_trash=true");
    let blind = key(&agent, json!({"message_read": true})).await;
    assert_eq!(blind.get(&with_trash).await.ok()["count"], 0);
    blind.get(&agent.message(&id, "")).await.refused(404, "not_found");
    let seeing = key(&agent, json!({"message_read": true, "label_trash_read": true})).await;
    assert_eq!(seeing.get(&with_trash).await.ok()["count"], 1);
    seeing.get(&agent.message(&id, "")).await.ok();
}

#[tokio::test]
async fn hidden_mail_is_404_to_every_operation() {
    let (server, agent) = server_and_agent().await;
    for label in HIDING {
        receive(&server, &agent, &mail_to(&agent, label).attach("plan.txt", "text/plain", b"a plan")).await;
        let message = agent.message_about(label).await;
        hide(&server, &agent, &message["message_id"], label).await;
        let (id, thread_id) = (&message["message_id"], &message["thread_id"]);
        let hidden = agent.get(&agent.message(id, "")).await.ok();
        // Everything that has to do with mail, but for the one label.
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
            Request::new("GET", &agent.message(id, "")),
            Request::new("GET", &agent.message(id, "/raw")),
            Request::new("GET", &agent.message(id, "/raw")).header("Accept", "message/rfc822"),
            Request::new("GET", &agent.message(id, &file)),
            Request::new("GET", &agent.message(id, &file)).header("Accept", "application/octet-stream"),
            Request::new("PATCH", &agent.message(id, "")).json(&labels),
            Request::new("DELETE", &agent.message(id, "")),
            Request::new("POST", &agent.message(id, "/reply")).json(&json!({"text": "x"})),
            Request::new("POST", &agent.message(id, "/reply-all")).json(&json!({"text": "x"})),
            Request::new("POST", &agent.message(id, "/forward")).json(&to),
            Request::new("POST", &agent.inbox("/drafts")).json(&json!({"in_reply_to": id})),
            Request::new("POST", &agent.inbox("/drafts")).json(&json!({"forward_of": id})),
            Request::new("GET", &agent.thread(thread_id, "")),
            Request::new("GET", &agent.thread(thread_id, &file)),
            Request::new("PATCH", &agent.thread(thread_id, "")).json(&labels),
            Request::new("POST", &agent.thread(thread_id, "/notes")).json(&json!({"text": "x"})),
            Request::new("DELETE", &agent.thread(thread_id, "")),
            Request::new("GET", &alone("")),
            Request::new("GET", &alone(&file)),
            Request::new("PATCH", &alone("")).json(&labels),
            Request::new("DELETE", &alone("")),
        ];
        for request in requests {
            blind.call(request).await.refused(404, "not_found");
        }
        // In a batch it is skipped like an id that names nothing.
        let ids = json!({"message_ids": [id], "add_labels": ["seen"]});
        assert_eq!(blind.post(&agent.inbox("/messages/batch-get"), ids.clone()).await.ok()["count"], 0, "{label}");
        assert_eq!(blind.post(&agent.inbox("/messages/batch-update"), ids).await.ok()["count"], 0, "{label}");
        assert_eq!(agent.get(&agent.message(id, "")).await.ok(), hidden, "{label}: nothing was changed");
        let seeing = key(&agent, json!({"message_read": true, wanted: true})).await;
        assert_eq!(seeing.get(&agent.message(id, "")).await.ok(), hidden, "{label}");
        seeing.get(&agent.thread(thread_id, "")).await.ok();
    }
}
