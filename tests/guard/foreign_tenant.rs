//! With the ids of somebody else, every operation answers as if there were nothing.

use inboxd_testkit::{Request, encoded};
use serde_json::{Value, json};

use super::document::{Operation, operations};
use crate::support::{mail_to, receive, server_and_agent};

/// A body that is good for any operation that takes one.
fn body(message_id: &Value) -> Value {
    json!({
        "to": ["bob@outside.example"], "subject": "hello", "text": "hello", "name": "name",
        "add_labels": ["x"], "message_ids": [message_id], "display_name": "Name", "otp_code": "000000",
    })
}

#[tokio::test]
async fn the_ids_of_another_tenant_are_the_same_404_as_ids_that_do_not_exist() {
    let (server, victim) = server_and_agent().await;
    let attacker = server.verified("attacker@example.org", "attacker").await;
    let mail = mail_to(&victim, "CONFIDENTIAL").id("<confidential@outside.example>").attach(
        "CONFIDENTIAL.txt",
        "text/plain",
        b"x",
    );
    receive(&server, &victim, &mail).await;
    let message = victim.message_about("CONFIDENTIAL").await;
    let key = victim.post(&victim.inbox("/api-keys"), json!({"name": "CONFIDENTIAL"})).await.ok();
    let domain = victim.post("/v0/domains", json!({"domain": "confidential.example"})).await.ok();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let owner = victim.get("/v0/members").await.ok()["members"][0].clone();
    let theirs = [
        ("message_id", encoded(&text(&message["message_id"]))),
        ("thread_id", text(&message["thread_id"])),
        ("attachment_id", text(&message["attachments"][0]["attachment_id"])),
        ("api_key_id", text(&key["api_key_id"])),
        ("domain_id", text(&domain["domain_id"])),
        ("member_id", text(&owner["member_id"])),
    ];
    let before = victim.message_about("CONFIDENTIAL").await;
    let mut tried = 0;
    for operation in operations(&server).await {
        if !operation.path.contains('{') || operation.is_open() {
            continue;
        }
        // Their inbox, and where other ids follow, my inbox with their ids.
        for inbox_id in [&victim.inbox_id, &attacker.inbox_id] {
            let is_theirs = inbox_id == &victim.inbox_id || !only_inbox(&operation);
            if !is_theirs {
                continue;
            }
            let values: Vec<_> = [("inbox_id", inbox_id.clone())].into_iter().chain(theirs.clone()).collect();
            let mut target = operation.target(&values);
            if target.ends_with("/search") {
                target.push_str("?q=a");
            }
            let mut request = Request::new(&operation.method, &target);
            if operation.has_body {
                request = request.json(&body(&message["message_id"]));
            }
            let answer = attacker.call(request).await;
            assert_eq!(answer.status, 404, "{} {target}: {}", operation.method, answer.text());
            answer.refused(404, "not_found");
            assert!(!answer.text().contains("CONFIDENTIAL"), "{} {target}: {}", operation.method, answer.text());
            tried += 1;
        }
    }
    assert!(tried > 25, "{tried} operations only were tried");
    assert_eq!(victim.message_about("CONFIDENTIAL").await, before, "nothing was changed");
    victim.with_key(key["api_key"].as_str().unwrap()).get(&victim.inbox("")).await.ok();
    assert_eq!(victim.get("/v0/domains").await.ok()["domains"], json!([domain]));
    assert_eq!(victim.get("/v0/inboxes").await.ok()["count"], 1);
}

/// Whether the inbox is the only thing that the path names, so that my own inbox would be a fair request.
fn only_inbox(operation: &Operation) -> bool {
    operation.path.matches('{').count() == 1 && operation.path.contains("{inbox_id}")
}
