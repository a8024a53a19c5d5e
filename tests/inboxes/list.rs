//! `GET /v0/inboxes`.

use serde_json::json;

use crate::support::{read_pages, server_and_agent, text_fields};

#[tokio::test]
async fn inboxes_are_listed_newest_first_or_oldest_first() {
    let (_server, agent) = server_and_agent().await;
    for username in ["one", "two"] {
        agent.post("/v0/inboxes", json!({"username": username})).await.ok();
    }
    let newest = agent.get("/v0/inboxes").await.ok();
    assert_eq!(text_fields(&newest, "inboxes", "username"), ["two", "one", "scout"]);
    let oldest = agent.get("/v0/inboxes?ascending=true").await.ok();
    assert_eq!(text_fields(&oldest, "inboxes", "username"), ["scout", "one", "two"]);
    assert!(newest.get("next_page_token").is_none(), "{newest:#}");
}

#[tokio::test]
async fn pages_contain_every_inbox_once_in_both_directions() {
    let (server, agent) = server_and_agent().await;
    server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    for number in 0..6 {
        agent.post("/v0/inboxes", json!({"username": format!("n{number}")})).await.ok();
    }
    let down = read_pages(&agent, "/v0/inboxes?limit=2", "inboxes", "username").await;
    assert_eq!(down, ["n5", "n4", "n3", "n2", "n1", "n0", "scout"]);
    let up = read_pages(&agent, "/v0/inboxes?ascending=true&limit=3", "inboxes", "username").await;
    assert_eq!(up, ["scout", "n0", "n1", "n2", "n3", "n4", "n5"]);
}

#[tokio::test]
async fn limit_outside_1_to_200_and_foreign_token_are_refused() {
    let (_server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({})).await.ok();
    assert_eq!(agent.get("/v0/inboxes?limit=200").await.ok()["limit"], 200);
    for limit in ["0", "201", "-1", "many", "1.5"] {
        assert_eq!(agent.get(&format!("/v0/inboxes?limit={limit}")).await.bad_fields(), ["limit"], "{limit}");
    }
    assert_eq!(agent.get("/v0/inboxes?page_token=nonsense").await.bad_fields(), ["page_token"]);
    let token = agent.get("/v0/inboxes?limit=1").await.ok()["next_page_token"].as_str().unwrap().to_owned();
    let token = inboxd_testkit::encoded(&token);
    // A token is bound to its endpoint and direction.
    let other_way = format!("/v0/inboxes?limit=1&ascending=true&page_token={token}");
    assert_eq!(agent.get(&other_way).await.bad_fields(), ["page_token"]);
    assert_eq!(agent.get(&format!("/v0/api-keys?limit=1&page_token={token}")).await.bad_fields(), ["page_token"]);
    assert_eq!(agent.get(&agent.inbox(&format!("/messages?page_token={token}"))).await.bad_fields(), ["page_token"]);
    assert_eq!(agent.get("/v0/inboxes?ascending=perhaps").await.bad_fields(), ["ascending"]);
}
