//! `DELETE …/threads/{thread_id}`.

use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn deleted_thread_takes_all_messages_along() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    receive(&server, &agent, &mail_to(&agent, "2").header("In-Reply-To", "<1@outside.example>")).await;
    receive(&server, &agent, &mail_to(&agent, "other")).await;
    let path = agent.thread(&agent.message_about("1").await["thread_id"], "");
    agent.delete(&path).await.require_no_content();
    agent.get(&path).await.require_error(404, "not_found");
    agent.delete(&path).await.require_error(404, "not_found");
    let left = agent.messages().await;
    assert_eq!((left.len(), left[0]["subject"].as_str()), (1, Some("other")));
    let stored = agent.get("/v0/organizations").await.ok()["storage_bytes"].as_u64();
    assert_eq!(stored, left[0]["size"].as_u64());
}
