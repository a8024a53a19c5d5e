//! `send_at`, `undo_seconds` and `POST …/messages/{message_id}/cancel`.

use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest, Persona, eventually};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::drafts::{far_future, make_due};
use crate::send_methods::{SendMethod, every_send_method, receive_question};
use crate::support::{mail_to, receive, server_and_agent};

async fn cancel(agent: &Persona, sent: &Value) -> ApiResponse {
    cancel_as(agent, agent, sent).await
}

async fn cancel_as(caller: &HttpClient, agent: &Persona, sent: &Value) -> ApiResponse {
    caller.post(&agent.message(&sent["message_id"], "/cancel"), json!({})).await
}

/// Waits until a delayed send has left.
async fn wait_for_message(agent: &Persona, sent: &Value) -> Value {
    let path = agent.message(&sent["message_id"], "");
    eventually("the delayed message is sent", async || {
        let found = agent.get(&path).await;
        (found.status == 200).then(|| found.ok())
    })
    .await
}

/// Returns the methods that can be delayed: a draft has its own schedule.
async fn delayable(agent: &Persona, question: &Value) -> Vec<SendMethod> {
    let methods = every_send_method(agent, question).await;
    methods.into_iter().filter(|method| method.name != "draft-send").collect()
}

#[tokio::test]
async fn cancelled_send_of_every_method_never_leaves() {
    let (server, agent) = server_and_agent().await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    for method in delayable(&agent, &question).await {
        let sent = method.send_with(&agent, "undo_seconds", json!(3600)).await.ok();
        agent.get(&agent.message(&sent["message_id"], "")).await.require_error(404, "not_found");
        let cancelled = cancel(&agent, &sent).await.ok();
        assert_eq!(cancelled["message_id"], sent["message_id"], "{}", method.name);
        let path = agent.inbox(&format!("/drafts/{}", cancelled["draft_id"].as_str().unwrap()));
        let draft = agent.get(&path).await.ok();
        assert_eq!(draft["message_id"], sent["message_id"], "{}", method.name);
        assert!(draft.get("send_at").is_none() && draft["labels"] == json!(["draft"]), "{draft:#}");
        assert_eq!(cancel(&agent, &sent).await.ok(), cancelled, "a repeat has the same result");
        let is_reply = method.name.starts_with("reply");
        assert_eq!(sent["thread_id"] == question["thread_id"], is_reply, "{}", method.name);
    }
    make_due(&server).await;
    let last = agent.send(json!({"to": "bob@outside.example", "text": "x", "undo_seconds": 1})).await;
    wait_for_message(&agent, &last).await;
    assert_eq!(agent.messages().await.len(), 2, "only the last message left");
}

#[tokio::test]
async fn delayed_send_of_every_method_leaves_with_its_ids() {
    let (server, agent) = server_and_agent().await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    let key = json!({"name": "sender", "permissions": {"message_send": true, "message_read": true}});
    let key = agent.create_key("/v0/api-keys", key).await;
    let mut sends = Vec::new();
    for method in delayable(&agent, &question).await {
        sends.push((method.name, method.send_with(&key, "send_at", json!(far_future())).await.ok()));
    }
    let headers = json!({"to": "bob@outside.example", "text": "x", "headers": {"X-Ticket": "7"}, "undo_seconds": 3600});
    let with_header = agent.send(headers).await;
    make_due(&server).await;
    for (name, sent) in &sends {
        let message = wait_for_message(&agent, sent).await;
        assert_eq!(message["thread_id"], sent["thread_id"], "{name}");
        assert_eq!(message["sent_by"]["name"], "sender", "{name}");
        cancel(&agent, sent).await.require_error(409, "message_sent");
    }
    assert_eq!(wait_for_message(&agent, &with_header).await["headers"]["X-Ticket"], "7");
    assert_eq!(agent.messages().await.len(), 6);
    assert_eq!(agent.get("/v0/drafts").await.ok()["count"], 1, "the draft of the method that was not used");
}

#[tokio::test]
async fn cancel_and_worker_never_both_succeed() {
    let (server, agent) = server_and_agent().await;
    let mut sends = Vec::new();
    for number in 0..20 {
        let body =
            json!({"to": "bob@outside.example", "subject": format!("{number}"), "text": "x", "undo_seconds": 3600});
        sends.push(agent.send(body).await);
    }
    make_due(&server).await;
    let cancels = sends.into_iter().map(|sent| {
        let agent = agent.clone();
        async move { (cancel(&agent, &sent).await.status, sent) }
    });
    let outcomes = cancels.collect::<JoinSet<_>>().join_all().await;
    for (status, sent) in outcomes {
        match status {
            200 => {
                agent.get(&agent.message(&sent["message_id"], "")).await.require_error(404, "not_found");
                cancel(&agent, &sent).await.ok();
            }
            // The worker had claimed or sent it.
            409 => {
                wait_for_message(&agent, &sent).await;
                cancel(&agent, &sent).await.require_error(409, "message_sent");
            }
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn delayed_send_is_refused_like_a_send() {
    let (server, agent) = server_and_agent().await;
    let send = agent.inbox("/messages/send");
    let letter = |field: &str, value: Value| json!({"to": "bob@outside.example", "text": "x", field: value});
    for (field, value) in [
        ("undo_seconds", json!(0)),
        ("undo_seconds", json!(3601)),
        ("undo_seconds", json!("10")),
        ("undo_seconds", json!(1.5)),
        ("send_at", json!("2020-01-01T00:00:00Z")),
        ("send_at", json!("2999-01-01T00:00:00Z")),
        ("send_at", json!("tomorrow")),
    ] {
        let refused = agent.post(&send, letter(field, value.clone())).await;
        assert_eq!(refused.bad_fields(), [field], "{value}");
    }
    let both = json!({"to": "bob@outside.example", "text": "x", "send_at": far_future(), "undo_seconds": 5});
    assert_eq!(agent.post(&send, both).await.bad_fields(), ["undo_seconds"]);
    agent.post("/v0/lists/send/block", json!({"entry": "enemy.example"})).await.ok();
    let blocked = json!({"to": "eve@enemy.example", "text": "x", "undo_seconds": 5});
    agent.post(&send, blocked).await.require_error(403, "recipient_blocked");
    receive(&server, &agent, &mail_to(&agent, "away").header("Auto-Submitted", "auto-replied")).await;
    let away = agent.message_about("away").await;
    let reply = agent.message(&away["message_id"], "/reply");
    let answer = |allow: bool| json!({"text": "x", "undo_seconds": 3600, "allow_automatic": allow});
    agent.post(&reply, answer(false)).await.require_error(403, "automatic_message");
    let allowed = agent.post(&reply, answer(true)).await.ok();
    let count =
        "INSERT INTO send_counts SELECT organization_id, (now() AT TIME ZONE 'UTC')::date, 100 FROM organizations";
    server.database().execute(count).await;
    agent.post(&send, letter("undo_seconds", json!(5))).await.require_error(429, "daily_limit_reached");
    server.database().execute("DELETE FROM send_counts").await;
    make_due(&server).await;
    wait_for_message(&agent, &allowed).await;
}

#[tokio::test]
async fn cancel_needs_permission_and_a_delayed_send() {
    let (server, agent) = server_and_agent().await;
    let sent = agent.send(json!({"to": "bob@outside.example", "text": "x", "undo_seconds": 3600})).await;
    let reader = json!({"name": "reader", "permissions": {"message_read": true, "draft_send": true}});
    let reader = agent.create_key("/v0/api-keys", reader).await;
    cancel_as(&reader, &agent, &sent).await.require_error(403, "missing_permission");
    let stranger = server.verified("other@example.net", "other").await;
    let path = stranger.message(&sent["message_id"], "/cancel");
    stranger.post(&path, json!({})).await.require_error(404, "not_found");
    receive(&server, &agent, &mail_to(&agent, "question")).await;
    let received = agent.message_about("question").await;
    cancel(&agent, &received).await.require_error(404, "not_found");
    cancel(&agent, &sent).await.ok();
}

#[tokio::test]
async fn repeated_delayed_send_makes_one_draft() {
    let (_server, agent) = server_and_agent().await;
    let send = || {
        let request = HttpRequest::new("POST", &agent.inbox("/messages/send")).header("Idempotency-Key", "later");
        agent.call(request.json(&json!({"to": "bob@outside.example", "text": "x", "undo_seconds": 3600})))
    };
    let first = send().await.ok();
    assert_eq!(send().await.ok(), first);
    assert_eq!(agent.get("/v0/drafts").await.ok()["count"], 1);
}
