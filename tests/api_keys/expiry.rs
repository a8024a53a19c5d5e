//! Expiring keys.

use std::time::Duration;

use inboxd_testkit::eventually;
use serde_json::json;

use crate::support::{in_seconds, server_and_agent};

#[tokio::test]
async fn expired_key_is_refused_and_stays_listed() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "short", "expires_at": in_seconds(3)})).await.ok();
    let key = agent.with_key(made["api_key"].as_str().unwrap());
    assert_eq!(made["status"], "active");
    key.get("/v0/inboxes").await.ok();
    let answer = eventually("the key expires", async || {
        let answer = key.get("/v0/inboxes").await;
        (answer.status != 200).then_some(answer)
    })
    .await;
    assert_eq!(answer.require_error(401, "api_key_expired")["name"], "UnauthorizedError");
    let listed = agent.get("/v0/api-keys").await.ok();
    let short = listed["api_keys"].as_array().unwrap().iter().find(|key| key["name"] == "short").unwrap();
    assert_eq!(short["status"], "expired");
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    agent.delete(&path).await.require_no_content();
    key.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn child_key_never_outlives_parent() {
    let (_server, agent) = server_and_agent().await;
    let until = in_seconds(3600);
    let parent = agent.create_key("/v0/api-keys", json!({"name": "parent", "expires_at": until})).await;
    for body in [json!({"name": "child"}), json!({"name": "child", "expires_at": "2999-01-01T00:00:00Z"})] {
        assert_eq!(parent.post("/v0/api-keys", body).await.ok()["expires_at"], until);
    }
    let sooner = in_seconds(60);
    let child = parent.post("/v0/api-keys", json!({"name": "child", "expires_at": sooner})).await.ok();
    assert_eq!(child["expires_at"], sooner);
}

#[tokio::test]
async fn last_use_of_key_is_shown() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "used"})).await.ok();
    assert!(made.get("used_at").is_none(), "{made:#}");
    let key = agent.with_key(made["api_key"].as_str().unwrap());
    key.get("/v0/inboxes").await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    eventually("used_at is shown", async || {
        tokio::time::sleep(Duration::from_millis(100)).await;
        agent.get(&path).await.ok()["used_at"].as_str().map(str::to_owned)
    })
    .await;
}
