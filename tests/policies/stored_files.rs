//! Stored files as attachments: policies judge their bytes like those of the request.

use serde_json::json;

use super::{owner, put};
use crate::files::store;
use crate::support::server_and_agent;

#[tokio::test]
async fn policies_judge_stored_files_by_their_bytes() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    let plain = store(&server, &agent, "plain.txt", b"nothing").await;
    let secret = store(&server, &agent, "secret.txt", b"key AKIAIOSFODNN7ABCDEFG").await;
    let send = agent.inbox("/messages/send");
    let body = |file: &serde_json::Value, dry_run: bool| {
        json!({
            "to": "bob@outside.example", "subject": "File", "text": "Here it is.", "dry_run": dry_run,
            "attachments": [{"file_id": file["file_id"]}],
        })
    };
    for (rules, refused) in [
        (json!({"content": {"attachments": "refuse"}}), vec![&plain, &secret]),
        (json!({"content": {"secrets": "refuse"}}), vec![&secret]),
    ] {
        put(&person, "/v0/policy", &rules).await.ok();
        for file in refused {
            agent.post(&send, body(file, false)).await.require_error(403, "policy_refused");
            assert_eq!(agent.post(&send, body(file, true)).await.ok()["result"], "refuse", "{rules}");
        }
    }
    agent.post(&send, body(&plain, false)).await.ok();
    // A held message carries the bytes that a person approves, whatever becomes of the file.
    put(&person, "/v0/policy", &json!({"content": {"secrets": "hold"}})).await.ok();
    let held = agent.post(&send, body(&secret, false)).await;
    assert_eq!(held.status, 202, "{}", held.text());
    agent.delete(&agent.inbox(&format!("/files/{}", secret["file_id"].as_str().unwrap()))).await.require_no_content();
    let draft = agent.inbox(&format!("/drafts/{}", held.json()["draft_id"].as_str().unwrap()));
    assert_eq!(person.get(&draft).await.ok()["attachments"][0]["size"], 24);
    let approval = json!({"message_id": held.json()["message_id"]});
    let approved = person.post(&format!("{draft}/approve"), approval).await.ok();
    let stored = agent.get(&agent.message(&approved["message_id"], "")).await.ok();
    assert_eq!(stored["attachments"][0]["filename"], "secret.txt");
}
