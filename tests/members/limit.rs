//! Member limit of a plan, including the owner.

use serde_json::json;

use crate::people::{invite, member_path};
use crate::support::{count, run_concurrently, server_and_agent};

#[tokio::test]
async fn concurrent_invitations_stop_at_plan_limit() {
    let (server, agent) = server_and_agent().await;
    let answers = run_concurrently((0..40).map(|number| {
        let agent = agent.clone();
        let body = json!({"email": format!("m{number}@example.org"), "role": "member"});
        async move { agent.post("/v0/members", body).await }
    }))
    .await;
    assert_eq!((count(&answers, 200), count(&answers, 429)), (24, 16), "the owner is the twenty-fifth");
    let refused = answers.iter().find(|answer| answer.status == 429).unwrap();
    let envelope = refused.require_error(429, "member_limit_reached");
    assert_eq!((envelope["name"].as_str(), refused.header("Retry-After")), (Some("RateLimitError"), Some("1")));
    assert_eq!(agent.get("/v0/members?limit=200").await.ok()["count"], 25);

    let somebody = answers.iter().find(|answer| answer.status == 200).unwrap().json();
    agent.delete(&member_path(&agent, somebody["email"].as_str().unwrap()).await).await.require_no_content();
    invite(&agent, "late@example.org", "member", json!([])).await;
    let later = json!({"email": "later@example.org", "role": "member"});
    agent.post("/v0/members", later.clone()).await.require_error(429, "member_limit_reached");
    let done = server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    assert!(done.status.success(), "{done:?}");
    agent.post("/v0/members", later).await.ok();
}
