//! Pod limit.

use serde_json::json;

use crate::support::{count, run_concurrently, server_and_agent};

#[tokio::test]
async fn pod_limit_includes_default_pod_and_is_exact_under_concurrency() {
    let (_server, agent) = server_and_agent().await;
    let calls = (0..10).map(|_| {
        let http = agent.with_key(&agent.key);
        async move { http.post("/v0/pods", json!({})).await }
    });
    let answers = run_concurrently(calls).await;
    assert_eq!(
        (count(&answers, 200), count(&answers, 429)),
        (1, 9),
        "the free plan has two pods, the default one included"
    );
    let refused = answers.into_iter().find(|answer| answer.status == 429).unwrap();
    assert_eq!(refused.header("retry-after"), Some("1"));
    let envelope = refused.require_error(429, "pod_limit_reached");
    assert_eq!(envelope["name"], "RateLimitError");
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!((&organization["pod_count"], &organization["pod_limit"]), (&json!(2), &json!(2)));
}

#[tokio::test]
async fn pod_limit_excludes_deleted_pods() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok();
    agent.delete(&format!("/v0/pods/{}", pod["pod_id"].as_str().unwrap())).await.require_no_content();
    agent.post("/v0/pods", json!({})).await.ok();
}
