//! `GET /v0/api-keys`.

use serde_json::json;

use crate::support::{read_pages, server_and_agent, text_fields};

#[tokio::test]
async fn organization_lists_own_and_inbox_keys_newest_first() {
    let (_server, agent) = server_and_agent().await;
    agent.post("/v0/api-keys", json!({"name": "one"})).await.ok();
    agent.post(&agent.inbox("/api-keys"), json!({"name": "two"})).await.ok();
    let list = agent.get("/v0/api-keys").await.ok();
    assert_eq!(text_fields(&list, "api_keys", "name")[..2], ["two", "one"]);
    assert_eq!((list["count"].as_u64(), list["limit"].as_u64()), (Some(3), Some(50)));
    let of_inbox = agent.get(&agent.inbox("/api-keys")).await.ok();
    assert_eq!(text_fields(&of_inbox, "api_keys", "name"), ["two"]);
}

#[tokio::test]
async fn pages_contain_every_key_once() {
    let (_server, agent) = server_and_agent().await;
    for number in 0..5 {
        agent.post("/v0/api-keys", json!({"name": format!("{number}")})).await.ok();
    }
    let names = read_pages(&agent, "/v0/api-keys?limit=2", "api_keys", "name").await;
    assert_eq!(names[..5], ["4", "3", "2", "1", "0"]);
    assert_eq!(names.len(), 6);
}

#[tokio::test]
async fn inbox_key_lists_keys_of_inbox() {
    let (_server, agent) = server_and_agent().await;
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    let list = key.get("/v0/api-keys").await.ok();
    assert_eq!(text_fields(&list, "api_keys", "name"), ["inbox"]);
}

#[tokio::test]
async fn list_contains_created_at_and_used_at() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post(&agent.inbox("/api-keys"), json!({"name": "used"})).await.ok();
    agent.with_key(made["api_key"].as_str().unwrap()).get("/v0/inboxes").await.ok();
    let pod = made["pod_id"].as_str().unwrap();
    for path in ["/v0/api-keys".to_owned(), agent.inbox("/api-keys"), format!("/v0/pods/{pod}/api-keys")] {
        let used = inboxd_testkit::eventually("used_at is listed", async || {
            let list = agent.get(&path).await.ok();
            let key = list["api_keys"].as_array().unwrap().iter().find(|key| key["name"] == "used").cloned().unwrap();
            key["used_at"].is_string().then_some(key)
        })
        .await;
        assert_eq!(used["created_at"], made["created_at"]);
        assert!(used["used_at"].as_str() >= made["created_at"].as_str(), "{used:#}");
    }
}

#[tokio::test]
async fn type_filter_narrows_list() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post(&agent.inbox("/api-keys"), json!({"name": "two"})).await.ok();
    let pod = made["pod_id"].as_str().unwrap();
    for path in ["/v0/api-keys".to_owned(), agent.inbox("/api-keys"), format!("/v0/pods/{pod}/api-keys")] {
        let every = agent.get(&path).await.ok();
        let bearers = agent.get(&format!("{path}?type=bearer")).await.ok();
        assert_eq!(text_fields(&bearers, "api_keys", "name"), text_fields(&every, "api_keys", "name"), "{path}");
        let none = agent.get(&format!("{path}?type=public_key")).await.ok();
        assert_eq!(none, json!({"count": 0, "limit": 50, "api_keys": []}), "{path}");
        for kind in ["", "bogus", "Bearer"] {
            assert_eq!(agent.get(&format!("{path}?type={kind}")).await.bad_fields(), ["type"], "{path}: {kind:?}");
        }
    }
}
