//! `POST /v0/pods`

use serde_json::json;

use crate::support::{count, run_concurrently, server_and_agent};

#[tokio::test]
async fn pod_has_its_fields_and_default_name() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/pods", json!({})).await.ok();
    assert!(made["pod_id"].as_str().unwrap().starts_with("pod_"), "{made:#}");
    assert!(made["name"].as_str().unwrap().chars().any(char::is_alphabetic), "{made:#}");
    assert_eq!(made["created_at"], made["updated_at"]);
    assert!(made.get("client_id").is_none(), "{made:#}");
    let path = format!("/v0/pods/{}", made["pod_id"].as_str().unwrap());
    assert_eq!(agent.get(&path).await.ok(), made);
}

#[tokio::test]
async fn concurrent_equal_client_ids_create_one_pod_until_deleted() {
    let (_server, agent) = server_and_agent().await;
    let calls = (0..8).map(|_| {
        let http = agent.with_key(&agent.key);
        async move { http.post("/v0/pods", json!({"name": "Acme", "client_id": "acme"})).await }
    });
    let answers = run_concurrently(calls).await;
    assert_eq!(count(&answers, 200), 8);
    let ids: std::collections::BTreeSet<String> =
        answers.iter().map(|answer| answer.ok()["pod_id"].to_string()).collect();
    assert_eq!(ids.len(), 1);
    let pod = answers[0].ok();
    assert_eq!((&pod["name"], &pod["client_id"]), (&json!("Acme"), &json!("acme")));
    agent.delete(&format!("/v0/pods/{}", pod["pod_id"].as_str().unwrap())).await.require_no_content();
    agent.post("/v0/pods", json!({"client_id": "acme"})).await.require_error(409, "conflict");
}

#[tokio::test]
async fn invalid_fields_are_named_together() {
    let (_server, agent) = server_and_agent().await;
    let answer = agent.post("/v0/pods", json!({"name": " ", "client_id": "a b"})).await;
    assert_eq!(answer.bad_fields(), ["client_id", "name"]);
}
