//! Webhooks of deleted inboxes and pods.

use serde_json::json;

use super::{create_webhook, webhook_path};
use crate::support::{server_and_agent, set_plan};

#[tokio::test]
async fn deleted_inbox_deletes_its_webhooks_and_mutes_filtered_ones() {
    let (server, agent) = server_and_agent().await;
    set_plan(&server, &agent, "startup").await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let (desk, inbox) = ("desk@inboxd.localhost", agent.inbox_id.as_str());
    let of_desk = create_webhook(&agent, &format!("/v0/inboxes/{desk}/webhooks"), json!({})).await;
    let to_desk = create_webhook(&agent, "/v0/webhooks", json!({"inbox_ids": [desk]})).await;
    let to_both = create_webhook(&agent, "/v0/webhooks", json!({"inbox_ids": [desk, inbox]})).await;
    let to_all = create_webhook(&agent, "/v0/webhooks", json!({})).await;
    agent.delete(&format!("/v0/inboxes/{desk}")).await.require_no_content();
    agent.get(&webhook_path(&of_desk, "")).await.require_error(404, "not_found");
    let deaf = agent.get(&webhook_path(&to_desk, "")).await.ok();
    assert_eq!((&deaf["inbox_ids"], &deaf["pod_ids"]), (&json!([]), &json!([])), "the filter does not become empty");
    assert_eq!(agent.get(&webhook_path(&to_both, "")).await.ok()["inbox_ids"], json!([inbox]));
    assert_eq!(agent.get(&webhook_path(&to_all, "")).await.ok().get("inbox_ids"), None);
    assert_eq!(agent.get("/v0/organizations").await.ok()["webhook_count"], 3);
}

#[tokio::test]
async fn deleted_pod_deletes_its_webhooks_and_leaves_other_filters() {
    let (server, agent) = server_and_agent().await;
    set_plan(&server, &agent, "startup").await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let of_pod = create_webhook(&agent, &format!("/v0/pods/{pod}/webhooks"), json!({})).await;
    let to_pod = create_webhook(&agent, "/v0/webhooks", json!({"pod_ids": [pod]})).await;
    agent.delete(&format!("/v0/pods/{pod}")).await.require_no_content();
    agent.get(&webhook_path(&of_pod, "")).await.require_error(404, "not_found");
    assert_eq!(agent.get(&webhook_path(&to_pod, "")).await.ok()["pod_ids"], json!([]));
}
