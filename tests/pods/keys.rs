//! Keys of one pod.

use serde_json::json;

use crate::support::{server_and_agent, text_fields};

#[tokio::test]
async fn pod_key_has_access_to_its_pod_only() {
    let (_server, agent) = server_and_agent().await;
    let default = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let key = agent.create_key(&format!("/v0/pods/{pod}/api-keys"), json!({"name": "pod"})).await;
    let inbox = key.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    assert_eq!(inbox["pod_id"], pod.as_str());
    assert_eq!(text_fields(&key.get("/v0/inboxes").await.ok(), "inboxes", "inbox_id"), ["desk@inboxd.localhost"]);
    assert_eq!(text_fields(&key.get("/v0/pods").await.ok(), "pods", "pod_id"), [pod.as_str()]);
    key.get(&format!("/v0/pods/{pod}")).await.ok();
    key.get("/v0/inboxes/desk@inboxd.localhost/messages").await.ok();
    let beyond = [
        key.get(&agent.inbox("")).await,
        key.get(&agent.inbox("/messages")).await,
        key.get(&agent.inbox("/threads")).await,
        key.post(&agent.inbox("/messages/send"), json!({"to": "bob@outside.example", "text": "x"})).await,
        key.get(&format!("/v0/events?inbox_id={}", agent.inbox_id)).await,
        key.get(&format!("/v0/pods/{default}")).await,
        key.patch(&format!("/v0/pods/{default}"), json!({"name": "mine"})).await,
        key.get(&format!("/v0/pods/{default}/inboxes")).await,
        key.get(&format!("/v0/pods/{default}/api-keys")).await,
        key.post(&format!("/v0/pods/{default}/api-keys"), json!({"name": "x"})).await,
    ];
    for answer in beyond {
        answer.require_error(403, "pod_out_of_scope");
    }
    // Scope takes precedence over permissions.
    key.post("/v0/pods", json!({})).await.require_error(403, "missing_permission");
    key.delete(&format!("/v0/pods/{pod}")).await.require_error(403, "missing_permission");
}

#[tokio::test]
async fn organization_level_permissions_are_refused_on_a_pod_key() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let permissions = json!({"pod_create": true, "billing": true, "inbox_create": true, "member_read": false});
    let answer = agent.post(&format!("/v0/pods/{pod}/api-keys"), json!({"permissions": permissions})).await;
    assert_eq!(answer.bad_fields(), ["permissions.billing", "permissions.pod_create"]);
}

#[tokio::test]
async fn organization_lists_all_keys_and_pod_lists_its_keys() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({"username": "desk"})).await.ok();
    let made = agent.post(&format!("/v0/pods/{pod}/api-keys"), json!({"name": "of pod"})).await.ok();
    assert_eq!((&made["pod_id"], made.get("inbox_id")), (&json!(pod), None));
    agent.post("/v0/inboxes/desk@inboxd.localhost/api-keys", json!({"name": "of desk"})).await.ok();
    agent.post(&agent.inbox("/api-keys"), json!({"name": "of scout"})).await.ok();
    let all = agent.get("/v0/api-keys").await.ok();
    assert_eq!(text_fields(&all, "api_keys", "name")[..3], ["of scout", "of desk", "of pod"]);
    let own = agent.get(&format!("/v0/pods/{pod}/api-keys")).await.ok();
    assert_eq!(text_fields(&own, "api_keys", "name"), ["of desk", "of pod"]);

    let path = format!("/v0/pods/{pod}/api-keys/{}", made["api_key_id"].as_str().unwrap());
    assert_eq!(agent.get(&path).await.ok()["name"], "of pod");
    assert_eq!(agent.patch(&path, json!({"name": "renamed"})).await.ok()["name"], "renamed");
    let scout = all["api_keys"][0]["api_key_id"].as_str().unwrap();
    agent.get(&format!("/v0/pods/{pod}/api-keys/{scout}")).await.require_error(404, "not_found");
    agent.delete(&format!("/v0/pods/{pod}/api-keys/{scout}")).await.require_error(404, "not_found");
    agent.delete(&path).await.require_no_content();
    agent.get(&path).await.require_error(404, "not_found");
}

#[tokio::test]
async fn inbox_key_has_no_access_to_its_pod() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    for rest in ["", "/inboxes", "/api-keys"] {
        key.get(&format!("/v0/pods/{pod}{rest}")).await.require_error(403, "inbox_out_of_scope");
    }
    key.post(&format!("/v0/pods/{pod}/api-keys"), json!({"name": "wider"}))
        .await
        .require_error(403, "inbox_out_of_scope");
}
