//! Two agents that answer each other for ever, were it not for the budget.

use inboxd_testkit::{Persona, eventually};
use serde_json::{Value, json};

use crate::people::person;
use crate::support::{server_and_agent, set_plan};

/// The newest message that the agent has received, once there are this many.
async fn newest(agent: &Persona, count: usize) -> Value {
    eventually(&format!("mail {count} for {}", agent.inbox_id), async || {
        let list = agent.get(&agent.inbox("/messages?labels=received&limit=200")).await.ok();
        let messages = list["messages"].as_array().unwrap();
        (messages.len() == count).then(|| messages[0].clone())
    })
    .await
}

#[tokio::test]
async fn two_agents_that_answer_each_other_are_stopped() {
    let (server, scout) = server_and_agent().await;
    let ranger = server.verified("other@example.org", "ranger").await;
    for agent in [&scout, &ranger] {
        set_plan(&server, agent, "business").await;
    }
    scout.send(json!({"to": ranger.inbox_id, "subject": "Hello", "text": "Hello."})).await;
    for round in 1..=50 {
        let question = newest(&ranger, round).await;
        ranger.post(&ranger.message(&question["message_id"], "/reply"), json!({"text": "Hello!"})).await.ok();
        let answer = newest(&scout, round).await;
        let body = json!({"text": "Hello again!", "allow_automatic": true});
        let reply = scout.post(&scout.message(&answer["message_id"], "/reply"), body).await;
        if round < 50 {
            reply.ok();
            continue;
        }
        let envelope = reply.refused(429, "loop_budget_reached");
        assert_eq!(envelope["name"], "RateLimitError");
        assert!(envelope["message"].as_str().unwrap().contains(&ranger.inbox_id), "{envelope:#}");
        let wait: u64 = reply.header("Retry-After").unwrap().parse().unwrap();
        assert!((1..=86_400).contains(&wait) && wait > 80_000, "until the first of them is a day old: {wait}");
    }
    let last = newest(&scout, 50).await;
    let (thread, answer) = (&last["thread_id"], scout.message(&last["message_id"], "/reply"));
    let draft = json!({"in_reply_to": last["message_id"], "text": "x"});
    let draft = scout.post(&scout.inbox("/drafts"), draft).await.ok();
    let send = scout.inbox(&format!("/drafts/{}/send", draft["draft_id"].as_str().unwrap()));
    scout.post(&send, json!({})).await.refused(429, "loop_budget_reached");
    scout.post(&answer, json!({"text": "x", "to": "bob@outside.example"})).await.ok();
    assert_eq!(scout.get(&scout.thread(thread, "")).await.ok()["message_count"], 101);

    // A person decides for themselves, and another thread is another conversation.
    let owner = person(&server, "owner@example.org").await;
    owner.post(&answer, json!({"text": "Let us stop here."})).await.ok();
    scout.send(json!({"to": ranger.inbox_id, "subject": "Hello", "text": "Something else."})).await;

    // When the first of them is a day old, there is room for one more.
    let aged = "UPDATE messages SET timestamp = timestamp - interval '25 hours' WHERE message_id IN (
        SELECT message_id FROM messages WHERE sent_by->>'type' = 'api_key' ORDER BY timestamp LIMIT 1)";
    server.database().execute(aged).await;
    scout.post(&answer, json!({"text": "x"})).await.ok();
    scout.post(&answer, json!({"text": "x"})).await.refused(429, "loop_budget_reached");
}
