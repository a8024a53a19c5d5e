//! `PATCH /v0/webhooks/{webhook_id}`.

use serde_json::{Value, json};

use super::{create_webhook, webhook_path};
use crate::support::{server_and_agent, uuid};

#[tokio::test]
async fn named_fields_change_and_the_rest_stays() {
    let (_server, agent) = server_and_agent().await;
    let webhook = create_webhook(&agent, "/v0/webhooks", json!({"event_types": ["message.sent"]})).await;
    let change = async |body: Value| agent.patch(&webhook_path(&webhook, ""), body).await.ok();
    let disabled = change(json!({"enabled": false})).await;
    assert_eq!((&disabled["enabled"], &disabled["event_types"]), (&json!(false), &json!(["message.sent"])));
    let replaced = change(json!({"event_types": ["domain.verified", "message.bounced"]})).await;
    assert_eq!(
        (&replaced["enabled"], &replaced["event_types"]),
        (&json!(false), &json!(["domain.verified", "message.bounced"]))
    );
    assert_eq!(replaced["url"], webhook["url"]);
    let url = json!({"url": "https://elsewhere.example.invalid/", "enabled": null});
    assert_eq!(change(url).await["url"], webhook["url"], "a URL never changes");
    assert_eq!(change(json!({"event_types": []})).await["event_types"].as_array().unwrap().len(), 22);
    assert_eq!(agent.get(&webhook_path(&webhook, "")).await.ok()["enabled"], false);
    let unknown = agent.patch(&webhook_path(&webhook, ""), json!({"event_types": ["no.such"]})).await;
    unknown.require_error(400, "unknown_event_type");
}

#[tokio::test]
async fn enabling_webhook_clears_failures() {
    let (server, agent) = server_and_agent().await;
    let webhook = create_webhook(&agent, "/v0/webhooks", json!({})).await;
    let failing = format!(
        "UPDATE webhooks SET enabled = false, failing_since = now(), last_failed_at = now() WHERE webhook_id = '{}'",
        uuid(&webhook["webhook_id"])
    );
    server.database().execute(&failing).await;
    let read = agent.get(&webhook_path(&webhook, "")).await.ok();
    assert_eq!((&read["enabled"], read["failing_since"].is_string()), (&json!(false), true));
    let enabled = agent.patch(&webhook_path(&webhook, ""), json!({"enabled": true})).await.ok();
    assert_eq!((&enabled["enabled"], enabled.get("failing_since")), (&json!(true), None));
}

#[tokio::test]
async fn removal_of_last_filter_target_mutes_webhook() {
    let (_server, agent) = server_and_agent().await;
    let inbox = json!(agent.inbox_id);
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].clone();
    let webhook = create_webhook(&agent, "/v0/webhooks", json!({"inbox_ids": [agent.inbox_id]})).await;
    assert_eq!((&webhook["inbox_ids"], &webhook["pod_ids"]), (&json!([inbox]), &json!([])));
    let change = async |body: Value| agent.patch(&webhook_path(&webhook, ""), body).await;
    let silent = change(json!({"remove_inbox_ids": [inbox.clone()]})).await.ok();
    assert_eq!((&silent["inbox_ids"], &silent["pod_ids"]), (&json!([]), &json!([])));
    let again = change(json!({"add_inbox_ids": agent.inbox_id.to_uppercase(), "add_pod_ids": [pod]})).await.ok();
    assert_eq!((&again["inbox_ids"], &again["pod_ids"]), (&json!([inbox]), &json!([pod])));
    let unknown = json!({
        "add_inbox_ids": ["nobody@inboxd.localhost"],
        "add_pod_ids": [pod, "pod_00000000000000000000000000000000"],
    });
    assert_eq!(change(unknown).await.bad_fields(), ["add_inbox_ids[0]", "add_pod_ids[1]"]);
    let both = json!({"add_inbox_ids": [inbox], "remove_inbox_ids": [inbox]});
    assert_eq!(change(both).await.bad_fields(), ["remove_inbox_ids"]);
    let many: Vec<String> = (0..11).map(|number| format!("n{number}@inboxd.localhost")).collect();
    assert_eq!(change(json!({"add_inbox_ids": many})).await.bad_fields(), ["add_inbox_ids"]);
    // For a webhook without a filter, additions have no effect.
    let whole = create_webhook(&agent, "/v0/webhooks", json!({})).await;
    let added = agent.patch(&webhook_path(&whole, ""), json!({"add_inbox_ids": [inbox]})).await.ok();
    assert_eq!(added.get("inbox_ids"), None);
}

#[tokio::test]
async fn subscription_to_hidden_mail_needs_permission_again() {
    let (_server, agent) = server_and_agent().await;
    let webhook = create_webhook(&agent, "/v0/webhooks", json!({"event_types": ["message.received.blocked"]})).await;
    let blind =
        agent.create_key("/v0/api-keys", json!({"permissions": {"webhook_update": true, "message_read": true}})).await;
    let change = async |body: Value| blind.patch(&webhook_path(&webhook, ""), body).await;
    change(json!({"enabled": false})).await.ok();
    let envelope = change(json!({"enabled": true})).await.require_error(403, "missing_permission");
    assert!(envelope["fix"].as_str().unwrap().contains("label_blocked_read"), "{envelope:#}");
    change(json!({"event_types": ["message.received.spam"]})).await.require_error(403, "missing_permission");
    change(json!({"event_types": ["message.received"], "enabled": true})).await.ok();
}
