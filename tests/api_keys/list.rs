//! Listing keys.

use serde_json::json;

use crate::support::{each, server_and_agent, walk};

#[tokio::test]
async fn the_organization_lists_its_keys_and_those_of_its_inboxes_newest_first() {
    let (_server, agent) = server_and_agent().await;
    agent.post("/v0/api-keys", json!({"name": "one"})).await.ok();
    agent.post(&agent.inbox("/api-keys"), json!({"name": "two"})).await.ok();
    let list = agent.get("/v0/api-keys").await.ok();
    assert_eq!(each(&list, "api_keys", "name")[..2], ["two", "one"]);
    assert_eq!((list["count"].as_u64(), list["limit"].as_u64()), (Some(3), Some(50)));
    let of_inbox = agent.get(&agent.inbox("/api-keys")).await.ok();
    assert_eq!(each(&of_inbox, "api_keys", "name"), ["two"]);
}

#[tokio::test]
async fn pages_hold_every_key_once() {
    let (_server, agent) = server_and_agent().await;
    for number in 0..5 {
        agent.post("/v0/api-keys", json!({"name": format!("{number}")})).await.ok();
    }
    let names = walk(&agent, "/v0/api-keys?limit=2", "api_keys", "name").await;
    assert_eq!(names[..5], ["4", "3", "2", "1", "0"]);
    assert_eq!(names.len(), 6);
}

#[tokio::test]
async fn a_key_of_an_inbox_lists_the_keys_of_that_inbox() {
    let (_server, agent) = server_and_agent().await;
    let key = agent.key_with(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    let list = key.get("/v0/api-keys").await.ok();
    assert_eq!(each(&list, "api_keys", "name"), ["inbox"]);
}
