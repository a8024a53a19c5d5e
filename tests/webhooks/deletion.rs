//! What becomes of webhooks when what they listen to goes.

use serde_json::json;

use super::{made, path};
use crate::support::{server_and_agent, set_plan};

#[tokio::test]
async fn a_deleted_inbox_takes_its_webhooks_and_those_that_heard_of_nothing_else_hear_of_nothing() {
    let (server, agent) = server_and_agent().await;
    set_plan(&server, &agent, "startup").await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let (desk, inbox) = ("desk@inboxd.localhost", agent.inbox_id.as_str());
    let of_desk = made(&agent, &format!("/v0/inboxes/{desk}/webhooks"), json!({})).await;
    let to_desk = made(&agent, "/v0/webhooks", json!({"inbox_ids": [desk]})).await;
    let to_both = made(&agent, "/v0/webhooks", json!({"inbox_ids": [desk, inbox]})).await;
    let to_all = made(&agent, "/v0/webhooks", json!({})).await;
    agent.delete(&format!("/v0/inboxes/{desk}")).await.gone();
    agent.get(&path(&of_desk, "")).await.refused(404, "not_found");
    let deaf = agent.get(&path(&to_desk, "")).await.ok();
    assert_eq!((&deaf["inbox_ids"], &deaf["pod_ids"]), (&json!([]), &json!([])), "not everything all of a sudden");
    assert_eq!(agent.get(&path(&to_both, "")).await.ok()["inbox_ids"], json!([inbox]));
    assert_eq!(agent.get(&path(&to_all, "")).await.ok().get("inbox_ids"), None);
    assert_eq!(agent.get("/v0/organizations").await.ok()["webhook_count"], 3);
}

#[tokio::test]
async fn a_deleted_pod_takes_its_webhooks_and_leaves_the_lists_of_others() {
    let (server, agent) = server_and_agent().await;
    set_plan(&server, &agent, "startup").await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let of_pod = made(&agent, &format!("/v0/pods/{pod}/webhooks"), json!({})).await;
    let to_pod = made(&agent, "/v0/webhooks", json!({"pod_ids": [pod]})).await;
    agent.delete(&format!("/v0/pods/{pod}")).await.gone();
    agent.get(&path(&of_pod, "")).await.refused(404, "not_found");
    assert_eq!(agent.get(&path(&to_pod, "")).await.ok()["pod_ids"], json!([]));
}
