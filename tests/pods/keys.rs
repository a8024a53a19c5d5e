//! Keys of a pod reach one pod.

use serde_json::json;

use crate::support::{each, server_and_agent};

#[tokio::test]
async fn a_pod_key_reaches_its_pod_and_nothing_beyond() {
    let (_server, agent) = server_and_agent().await;
    let default = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let key = agent.key_with(&format!("/v0/pods/{pod}/api-keys"), json!({"name": "pod"})).await;
    let inbox = key.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    assert_eq!(inbox["pod_id"], pod.as_str());
    assert_eq!(each(&key.get("/v0/inboxes").await.ok(), "inboxes", "inbox_id"), ["desk@inboxd.localhost"]);
    assert_eq!(each(&key.get("/v0/pods").await.ok(), "pods", "pod_id"), [pod.as_str()]);
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
        answer.refused(403, "pod_out_of_scope");
    }
    // Scope wins over permissions.
    key.post("/v0/pods", json!({})).await.refused(403, "missing_permission");
    key.delete(&format!("/v0/pods/{pod}")).await.refused(403, "missing_permission");
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
async fn the_organizations_list_shows_pod_and_inbox_keys_and_the_pods_list_its_own() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({"username": "desk"})).await.ok();
    let made = agent.post(&format!("/v0/pods/{pod}/api-keys"), json!({"name": "of pod"})).await.ok();
    assert_eq!((&made["pod_id"], made.get("inbox_id")), (&json!(pod), None));
    agent.post("/v0/inboxes/desk@inboxd.localhost/api-keys", json!({"name": "of desk"})).await.ok();
    agent.post(&agent.inbox("/api-keys"), json!({"name": "of scout"})).await.ok();
    let all = agent.get("/v0/api-keys").await.ok();
    assert_eq!(each(&all, "api_keys", "name")[..3], ["of scout", "of desk", "of pod"]);
    let own = agent.get(&format!("/v0/pods/{pod}/api-keys")).await.ok();
    assert_eq!(each(&own, "api_keys", "name"), ["of desk", "of pod"]);

    let path = format!("/v0/pods/{pod}/api-keys/{}", made["api_key_id"].as_str().unwrap());
    assert_eq!(agent.get(&path).await.ok()["name"], "of pod");
    assert_eq!(agent.patch(&path, json!({"name": "renamed"})).await.ok()["name"], "renamed");
    let scout = all["api_keys"][0]["api_key_id"].as_str().unwrap();
    agent.get(&format!("/v0/pods/{pod}/api-keys/{scout}")).await.refused(404, "not_found");
    agent.delete(&format!("/v0/pods/{pod}/api-keys/{scout}")).await.refused(404, "not_found");
    agent.delete(&path).await.gone();
    agent.get(&path).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_key_of_one_inbox_does_not_reach_its_pod() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let key = agent.key_with(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    for rest in ["", "/inboxes", "/api-keys"] {
        key.get(&format!("/v0/pods/{pod}{rest}")).await.refused(403, "inbox_out_of_scope");
    }
    key.post(&format!("/v0/pods/{pod}/api-keys"), json!({"name": "wider"})).await.refused(403, "inbox_out_of_scope");
}
