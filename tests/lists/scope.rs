//! Permissions and scopes of lists.

use serde_json::json;

use super::{add_entry, level_paths};
use crate::support::{server, server_and_agent};

#[tokio::test]
async fn each_list_action_needs_its_permission() {
    let (_server, agent) = server_and_agent().await;
    add_entry(&agent, "", "send/block", "x.example").await;
    for whose in level_paths(&agent).await {
        let path = format!("/v0{whose}/lists/send/block");
        for held in ["list_entry_read", "list_entry_create", "list_entry_delete", "message_send"] {
            let permissions = json!({"name": held, "permissions": {held: true}});
            let key = agent.create_key("/v0/api-keys", permissions).await;
            let calls = [
                ("list_entry_read", key.get(&path).await),
                ("list_entry_read", key.get(&format!("{path}/y.example")).await),
                ("list_entry_create", key.post(&path, json!({"entry": "nonsense here"})).await),
                ("list_entry_delete", key.delete(&format!("{path}/y.example")).await),
            ];
            for (needed, answer) in calls {
                if needed == held {
                    assert!([200, 404, 422].contains(&answer.status), "{held}: {}", answer.text());
                } else {
                    let envelope = answer.require_error(403, "missing_permission");
                    assert!(envelope["fix"].as_str().unwrap().contains(needed), "{envelope:#}");
                }
            }
        }
    }
    let key = agent.create_key("/v0/api-keys", json!({"permissions": {"message_send": true}})).await;
    key.get("/v0/suppressions").await.require_error(403, "missing_permission");
}

#[tokio::test]
async fn inbox_key_has_access_to_lists_of_inbox_only() {
    let (_server, agent) = server_and_agent().await;
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    let [_, pod, inbox] = level_paths(&agent).await;
    key.post(&format!("/v0{inbox}/lists/send/block"), json!({"entry": "x.example"})).await.ok();
    for path in ["/v0/lists/send/block".to_owned(), format!("/v0{pod}/lists/send/block"), "/v0/suppressions".to_owned()]
    {
        key.get(&path).await.require_error(403, "inbox_out_of_scope");
    }
    key.get("/v0/pods/nonsense/lists/send/block").await.require_error(403, "inbox_out_of_scope");
    key.post("/v0/lists/send/block", json!({"entry": ""})).await.require_error(403, "inbox_out_of_scope");
    key.delete("/v0/lists/send/block/x.example").await.require_error(403, "inbox_out_of_scope");
}

#[tokio::test]
async fn pod_key_has_access_to_lists_of_pod_and_its_inboxes() {
    let (server, agent) = server_and_agent().await;
    let key = agent.create_key("/v0/api-keys", json!({"name": "pod"})).await;
    let [_, pod, inbox] = level_paths(&agent).await;
    let set = "UPDATE api_keys SET pod_id = (SELECT default_pod_id FROM organizations LIMIT 1) WHERE name = 'pod'";
    server.database().execute(set).await;
    for whose in [&pod, &inbox] {
        key.post(&format!("/v0{whose}/lists/receive/block"), json!({"entry": "x.example"})).await.ok();
    }
    key.get("/v0/lists/receive/block").await.require_error(403, "pod_out_of_scope");
    key.get("/v0/pods/pod_00000000000000000000000000000000/lists/send/block")
        .await
        .require_error(403, "pod_out_of_scope");
    key.get("/v0/suppressions").await.require_error(403, "pod_out_of_scope");
    let move_key = "WITH other AS (
            INSERT INTO pods (organization_id, pod_id, name, created_at, updated_at)
            SELECT organization_id, gen_random_uuid(), 'other', now(), now() FROM organizations
            RETURNING organization_id, pod_id)
        UPDATE api_keys k SET pod_id = o.pod_id FROM other o WHERE k.organization_id = o.organization_id AND k.name = 'pod'";
    server.database().execute(move_key).await;
    for whose in [pod, inbox] {
        key.get(&format!("/v0{whose}/lists/receive/block")).await.require_error(403, "pod_out_of_scope");
    }
}

#[tokio::test]
async fn foreign_pods_and_inboxes_return_same_404_as_unknown_ones() {
    let server = server().await;
    let victim = server.verified("owner@example.org", "scout").await;
    let attacker = server.verified("attacker@example.org", "attacker").await;
    let [_, pod, inbox] = level_paths(&victim).await;
    add_entry(&victim, &pod, "send/block", "x.example").await;
    let none = "/pods/pod_00000000000000000000000000000000".to_owned();
    for whose in [pod.clone(), inbox, none, "/pods/nonsense".to_owned()] {
        let path = format!("/v0{whose}/lists/send/block");
        attacker.get(&path).await.require_error(404, "not_found");
        attacker.get(&format!("{path}/x.example")).await.require_error(404, "not_found");
        attacker.post(&path, json!({"entry": "x.example"})).await.require_error(404, "not_found");
        attacker.delete(&format!("{path}/x.example")).await.require_error(404, "not_found");
    }
    assert_eq!(attacker.get("/v0/lists/send/block").await.ok()["count"], 0);
    assert_eq!(victim.get(&format!("/v0{pod}/lists/send/block")).await.ok()["count"], 1);
}

#[tokio::test]
async fn lists_of_deleted_inbox_are_deleted() {
    let (_server, agent) = server_and_agent().await;
    let [.., inbox] = level_paths(&agent).await;
    add_entry(&agent, &inbox, "send/block", "x.example").await;
    agent.delete(&agent.inbox("")).await.require_no_content();
    agent.get(&format!("/v0{inbox}/lists/send/block")).await.require_error(404, "not_found");
    agent.get(&format!("/v0{inbox}/lists/send/block/x.example")).await.require_error(404, "not_found");
    let again = agent.post(&format!("/v0{inbox}/lists/send/block"), json!({"entry": "y.example"})).await;
    again.require_error(404, "not_found");
}
