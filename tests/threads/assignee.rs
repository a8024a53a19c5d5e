//! `PATCH …/threads/{thread_id}`: the assignee.

use serde_json::json;

use crate::support::{mail_to, receive, server_and_agent, subjects};

#[tokio::test]
async fn thread_is_assigned_and_unassigned() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "mine").id("<mine@outside.example>")).await;
    receive(&server, &agent, &mail_to(&agent, "free")).await;
    let path = agent.thread(&agent.message_about("mine").await["thread_id"], "");
    let taken = agent.patch(&path, json!({"assignee_id": "me"})).await.ok();
    assert_eq!(taken["assignee"]["type"], "api_key");
    let me = taken["assignee"]["api_key_id"].as_str().unwrap();
    assert_eq!(subjects(&agent, "/threads?assignee=me").await, ["mine"]);
    assert_eq!(subjects(&agent, &format!("/threads?assignee={me}")).await, ["mine"]);
    assert_eq!(subjects(&agent, "/threads?assignee=none").await, ["free"]);
    // A new message and a label change leave the assignee unchanged.
    receive(&server, &agent, &mail_to(&agent, "Re: mine").header("In-Reply-To", "<mine@outside.example>")).await;
    agent.patch(&path, json!({"add_labels": ["x"]})).await.ok();
    assert_eq!(agent.get(&path).await.ok()["assignee"], taken["assignee"]);
    let freed = agent.patch(&path, json!({"assignee_id": null})).await.ok();
    assert!(freed["assignee"].is_null() && freed.get("assignee").is_some(), "{freed:#}");
    assert_eq!(subjects(&agent, "/threads?assignee=none").await.len(), 2);
}

#[tokio::test]
async fn thread_is_not_assigned_to_key_without_access() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let path = agent.thread(&agent.message_about("hello").await["thread_id"], "");
    let other = server.verified("other@example.org", "ranger").await;
    let id = |key: serde_json::Value| key["api_key_id"].as_str().unwrap().to_owned();
    let sibling = agent.post("/v0/inboxes/desk@inboxd.localhost/api-keys", json!({"name": "desk"})).await.ok();
    let blind = agent.post("/v0/api-keys", json!({"name": "blind", "permissions": {"inbox_read": true}})).await.ok();
    let foreign = other.post("/v0/api-keys", json!({"name": "foreign"})).await.ok();
    for assignee in
        [id(sibling), id(blind), id(foreign), "key_00000000000000000000000000000000".to_owned(), "x".to_owned()]
    {
        assert_eq!(
            agent.patch(&path, json!({"assignee_id": assignee})).await.bad_fields(),
            ["assignee_id"],
            "{assignee}"
        );
    }
    let reader = agent.post(&agent.inbox("/api-keys"), json!({"name": "reader"})).await.ok();
    let assigned = agent.patch(&path, json!({"assignee_id": id(reader.clone())})).await.ok();
    assert_eq!(assigned["assignee"]["api_key_id"], reader["api_key_id"]);
}

#[tokio::test]
async fn thread_of_key_without_access_becomes_unassigned() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let path = agent.thread(&agent.message_about("hello").await["thread_id"], "");
    let made = agent.post(&agent.inbox("/api-keys"), json!({"name": "reader"})).await.ok();
    let key = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let assign = async || agent.patch(&path, json!({"assignee_id": made["api_key_id"]})).await;
    let assignee = async || agent.get(&path).await.ok()["assignee"]["api_key_id"].clone();
    assign().await.ok();
    agent.patch(&key, json!({"name": "renamed"})).await.ok();
    agent.patch(&key, json!({"permissions": {"message_read": true}})).await.ok();
    assert_eq!(assignee().await, made["api_key_id"], "the key still has access to the inbox");
    agent.patch(&key, json!({"permissions": {"message_send": true}})).await.ok();
    assert!(assignee().await.is_null());
    assert_eq!(assign().await.bad_fields(), ["assignee_id"]);
    agent.patch(&key, json!({"permissions": {"message_read": true}})).await.ok();
    assign().await.ok();
    agent.delete(&key).await.require_no_content();
    assert!(assignee().await.is_null());
    assert_eq!(subjects(&agent, "/threads?assignee=none").await, ["hello"]);
    assert_eq!(assign().await.bad_fields(), ["assignee_id"]);
}
