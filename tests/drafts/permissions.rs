//! `draft_read`, `draft_create`, `draft_update`, `draft_delete`, `draft_send`.

use inboxd_testkit::{HttpClient, Persona};
use serde_json::{Value, json};

use super::{create_draft, draft_path, in_seconds};
use crate::support::{mail_to, receive, server_and_agent};

async fn key(agent: &Persona, permissions: &[&str]) -> HttpClient {
    let map: Value =
        permissions.iter().map(|name| ((*name).to_owned(), json!(true))).collect::<serde_json::Map<_, _>>().into();
    agent.create_key("/v0/api-keys", json!({"name": "restricted", "permissions": map})).await
}

#[tokio::test]
async fn each_draft_action_needs_its_permission() {
    let (_server, agent) = server_and_agent().await;
    let draft = create_draft(&agent, json!({"to": "bob@outside.example", "text": "x"})).await;
    let target = draft_path(&agent, &draft, "");
    let all =
        ["draft_read", "draft_create", "draft_update", "draft_delete", "draft_send", "message_send", "message_read"];
    for permission in ["draft_read", "draft_create", "draft_update", "draft_send", "draft_delete"] {
        let without: Vec<&str> = all.into_iter().filter(|name| *name != permission).collect();
        let (lacks, holds) = (key(&agent, &without).await, key(&agent, &[permission]).await);
        for (key, is_allowed) in [(lacks, false), (holds, true)] {
            let answer = match permission {
                "draft_read" => key.get(&target).await,
                "draft_create" => key.post(&agent.inbox("/drafts"), json!({})).await,
                "draft_update" => key.patch(&target, json!({"text": "y"})).await,
                "draft_send" => key.post(&draft_path(&agent, &draft, "/send"), json!({"add_labels": []})).await,
                _ => {
                    let draft = create_draft(&agent, json!({})).await;
                    key.delete(&draft_path(&agent, &draft, "")).await
                }
            };
            if is_allowed {
                assert!([200, 204].contains(&answer.status), "{permission}: {}", answer.text());
            } else {
                let envelope = answer.require_error(403, "missing_permission");
                assert!(envelope["fix"].as_str().unwrap().contains(permission), "{envelope:#}");
            }
        }
    }
    let reader = key(&agent, &["message_read"]).await;
    for target in ["/v0/drafts", "/v0/drafts/drf_00000000000000000000000000000000"] {
        reader.get(target).await.require_error(403, "missing_permission");
    }
}

#[tokio::test]
async fn scheduling_needs_draft_send_and_replying_message_read() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "Lunch").id("<lunch@outside.example>")).await;
    let author = key(&agent, &["draft_create", "draft_update", "draft_delete"]).await;
    let drafts = agent.inbox("/drafts");
    for (body, permission) in [
        (json!({"send_at": in_seconds(3600)}), "draft_send"),
        (json!({"in_reply_to": "<lunch@outside.example>"}), "message_read"),
        (json!({"forward_of": "<lunch@outside.example>"}), "message_read"),
    ] {
        let envelope = author.post(&drafts, body).await.require_error(403, "missing_permission");
        assert!(envelope["fix"].as_str().unwrap().contains(permission), "{envelope:#}");
    }
    // The key may neither change a draft that another author scheduled nor stop its send.
    let draft =
        create_draft(&agent, json!({"to": "bob@outside.example", "text": "x", "send_at": in_seconds(3600)})).await;
    author.patch(&draft_path(&agent, &draft, ""), json!({"text": "y"})).await.require_error(403, "missing_permission");
    author.delete(&draft_path(&agent, &draft, "")).await.require_error(403, "missing_permission");
    assert_eq!(agent.get(&draft_path(&agent, &draft, "")).await.ok(), draft);
}
