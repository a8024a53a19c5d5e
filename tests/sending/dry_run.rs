//! `dry_run`: the result of a send without the send.

use inboxd_testkit::{HttpRequest, Persona, TestServer};
use serde_json::{Value, json};

use crate::send_methods::{every_send_method, receive_question};
use crate::support::{mail_to, receive, server, server_and_agent};

/// Rows that a send would add, and the revisions of drafts.
const ROWS: &str = "SELECT concat_ws(' ', (SELECT count(*) FROM messages), (SELECT count(*) FROM threads), \
    (SELECT count(*) FROM events), (SELECT count(*) FROM outgoing), (SELECT count(*) FROM send_keys), \
    (SELECT sum(count) FROM send_counts), (SELECT count(*) FROM mail_quotas), (SELECT sum(revision) FROM drafts)) AS text";

/// Returns the stored rows that a send would change.
async fn stored(server: &TestServer) -> String {
    server.database().session().await.texts(ROWS).await.remove(0)
}

#[tokio::test]
async fn dry_run_of_every_send_method_shows_result_and_stores_nothing() {
    let (server, agent) = server_and_agent().await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    let methods = every_send_method(&agent, &question).await;
    let before = stored(&server).await;
    let mut shown = Vec::new();
    for method in &methods {
        shown.push(method.dry_run(&agent).await.ok());
    }
    assert_eq!(stored(&server).await, before);
    for (method, shown) in methods.iter().zip(shown) {
        assert_eq!((&shown["dry_run"], &shown["result"]), (&json!(true), &json!("send")), "{}", method.name);
        assert_eq!(shown["recipients"], json!([{"address": "bob@outside.example", "result": "send"}]));
        let today = &shown["quota"]["today"];
        assert_eq!((&today["limit"], &today["remaining"]), (&json!(100), &json!(100)), "{shown:#}");

        let sent = method.send(&agent).await.ok();
        let message = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
        for field in ["from", "to", "subject", "text"] {
            assert_eq!(shown["message"][field], message[field], "{field} of {}", method.name);
        }
        assert_eq!(shown["message"]["labels"], json!(["sent"]), "{}", method.name);
        for field in ["Subject", "From", "To", "In-Reply-To", "References", "Auto-Submitted"] {
            assert_eq!(shown["message"]["headers"][field], message["headers"][field], "{field} of {}", method.name);
        }
        let [expected, size] = [&shown["message"]["size"], &message["size"]].map(|size| size.as_u64().unwrap());
        assert!(expected.abs_diff(size) < 10, "{expected} {size} of {}", method.name);
        let thread = shown["message"]["thread_id"].as_str();
        assert_eq!(thread.is_some(), method.name.starts_with("reply"), "{}", method.name);
        assert!(thread.is_none_or(|thread| message["thread_id"] == thread), "{}", method.name);
    }
    let shown = agent.send(json!({"to": "bob@outside.example", "text": "x", "dry_run": true})).await;
    assert_eq!(shown["quota"]["today"]["remaining"], 95);
}

#[tokio::test]
async fn dry_run_shows_refusal_of_send_for_recipients_and_quotas() {
    let (server, agent) = server_and_agent().await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    let methods = every_send_method(&agent, &question).await;
    let block = agent.inbox("/lists/send/block");
    let allow = agent.inbox("/lists/send/allow");
    let count =
        "INSERT INTO send_counts SELECT organization_id, (now() AT TIME ZONE 'UTC')::date, 100 FROM organizations";
    let suppress =
        "INSERT INTO suppressions SELECT organization_id, 'bob@outside.example', 'bounce', now() FROM organizations";
    for (code, before, after) in [
        ("daily_limit_reached", count.to_owned(), "DELETE FROM send_counts".to_owned()),
        ("recipient_suppressed", suppress.to_owned(), "DELETE FROM suppressions".to_owned()),
        ("recipient_blocked", block.clone(), format!("{block}/outside.example")),
        ("recipient_not_allowed", allow, String::new()),
    ] {
        let entry = if code == "recipient_blocked" { "outside.example" } else { "friends.example" };
        if before.starts_with("/v0") {
            agent.post(&before, json!({"entry": entry})).await.ok();
        } else {
            server.database().execute(&before).await;
        }
        for method in &methods {
            let shown = method.dry_run(&agent).await.ok();
            assert_eq!(shown["result"], "refuse", "{}", method.name);
            let refused = method.send(&agent).await;
            let envelope = refused.require_error(if code.starts_with("daily") { 429 } else { 403 }, code);
            assert_eq!(shown["refusal"], envelope, "{}", method.name);
            let expected = if code.starts_with("recipient") { envelope } else { Value::Null };
            assert_eq!(shown["recipients"][0]["refusal"], expected, "{}", method.name);
        }
        if after.starts_with("/v0") {
            agent.delete(&after).await.require_no_content();
        } else if !after.is_empty() {
            server.database().execute(&after).await;
        }
    }
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn dry_run_names_each_recipient_that_stops_the_message() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/lists/send/block", json!({"entry": "enemy.example"})).await.ok();
    let suppress =
        "INSERT INTO suppressions SELECT organization_id, 'gone@outside.example', 'bounce', now() FROM organizations";
    server.database().execute(suppress).await;
    let to = ["ann@outside.example", "eve@enemy.example", "gone@outside.example"];
    let shown = agent.send(json!({"to": to[..2], "bcc": to[2], "text": "x", "dry_run": true})).await;
    let verdicts: Vec<(&str, &str, Option<&str>)> = shown["recipients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let refusal = one["refusal"]["code"].as_str();
            (one["address"].as_str().unwrap(), one["result"].as_str().unwrap(), refusal)
        })
        .collect();
    assert_eq!(
        verdicts,
        [
            (to[0], "send", None),
            (to[1], "refuse", Some("recipient_blocked")),
            (to[2], "refuse", Some("recipient_suppressed")),
        ]
    );
    assert_eq!(shown["refusal"]["code"], "recipient_suppressed");
    assert_eq!(shown["message"]["bcc"], json!([to[2]]));
    assert!(!shown["message"]["headers"].to_string().contains(to[2]), "{shown:#}");
}

#[tokio::test]
async fn dry_run_of_unverified_organization_names_strangers() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    for method in every_send_method(&agent, &question).await {
        let shown = method.dry_run(&agent).await.ok();
        let refused = method.send(&agent).await;
        assert_eq!(shown["refusal"], refused.require_error(403, "organization_unverified"), "{}", method.name);
    }
    let before = stored(&server).await;
    let shown = agent.send(json!({"to": "owner@example.org", "text": "x", "dry_run": true})).await;
    assert_eq!((&shown["result"], stored(&server).await), (&json!("send"), before));
}

/// Requires the same refusal of a dry run and of the send.
async fn same_refusal(agent: &Persona, path: &str, body: Value, status: u16, code: &str) {
    let mut dry = body.clone();
    dry["dry_run"] = json!(true);
    let (dry, sent) = (agent.post(path, dry).await, agent.post(path, body).await);
    assert_eq!(dry.require_error(status, code), sent.require_error(status, code), "{path}");
}

#[tokio::test]
async fn dry_run_refuses_what_every_send_method_refuses() {
    let (server, agent) = server_and_agent().await;
    let automatic = mail_to(&agent, "away").header("Auto-Submitted", "auto-replied");
    receive(&server, &agent, &automatic).await;
    let away = agent.message_about("away").await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    let empty = agent.post(&agent.inbox("/drafts"), json!({"text": "no recipient"})).await.ok();
    let draft = |id: &str| agent.inbox(&format!("/drafts/{id}/send"));
    let gone = json!("<gone@outside.example>");
    let text = json!({"text": "x"});
    for (path, body, status, code) in [
        (agent.inbox("/messages/send"), text.clone(), 422, "validation_error"),
        (agent.message(&question["message_id"], "/forward"), text.clone(), 422, "validation_error"),
        (
            agent.message(&question["message_id"], "/reply-all"),
            json!({"text": "x", "to": "ann@outside.example"}),
            422,
            "validation_error",
        ),
        (
            agent.message(&question["message_id"], "/reply"),
            json!({"text": "x", "labels": ["sent"]}),
            422,
            "system_label",
        ),
        (draft(empty["draft_id"].as_str().unwrap()), json!({}), 422, "validation_error"),
        (agent.message(&away["message_id"], "/reply"), text.clone(), 403, "automatic_message"),
        (agent.message(&away["message_id"], "/reply-all"), text.clone(), 403, "automatic_message"),
        (agent.message(&gone, "/reply"), text.clone(), 404, "not_found"),
        (agent.message(&gone, "/reply-all"), text.clone(), 404, "not_found"),
        (agent.message(&gone, "/forward"), json!({"to": "ann@outside.example"}), 404, "not_found"),
        (draft("drf_01jd8z0000000000000000000"), json!({}), 404, "not_found"),
    ] {
        same_refusal(&agent, &path, body, status, code).await;
    }
    let methods = every_send_method(&agent, &question).await;
    agent.patch(&agent.inbox(""), json!({"status": "paused"})).await.ok();
    for method in &methods {
        let (dry, sent) = (method.dry_run(&agent).await, method.send(&agent).await);
        let (dry, sent) = (dry.require_error(403, "inbox_paused"), sent.require_error(403, "inbox_paused"));
        assert_eq!(dry, sent, "{}", method.name);
    }
    let wrong = agent.post(&agent.inbox("/messages/send"), json!({"to": "a@b.example", "dry_run": "yes"})).await;
    assert_eq!(wrong.bad_fields(), ["dry_run"]);
}

#[tokio::test]
async fn dry_run_shows_no_mail_that_the_key_may_not_read() {
    let (server, agent) = server_and_agent().await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    let methods = every_send_method(&agent, &question).await;
    let permissions = json!({"inbox_read": true, "message_send": true, "draft_send": true});
    let key = agent.create_key("/v0/api-keys", json!({"name": "sender", "permissions": permissions})).await;
    for method in &methods {
        let shown = method.dry_run(&key).await;
        match method.name {
            "send" => assert_eq!(shown.ok()["result"], "send"),
            _ => {
                shown.require_error(403, "missing_permission");
            }
        }
    }
}

#[tokio::test]
async fn dry_run_uses_no_idempotency_key() {
    let (_server, agent) = server_and_agent().await;
    let send = |body: Value| {
        let request = HttpRequest::new("POST", &agent.inbox("/messages/send")).header("Idempotency-Key", "one");
        agent.call(request.json(&body))
    };
    let shown = send(json!({"to": "bob@outside.example", "text": "x", "dry_run": true})).await.ok();
    assert_eq!(shown["result"], "send");
    let message = send(json!({"to": "bob@outside.example", "text": "x"})).await.ok();
    assert!(message["message_id"].is_string(), "{message:#}");
}
