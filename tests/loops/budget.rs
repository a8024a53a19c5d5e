//! Loop budget between two agents that reply to each other.

use inboxd_testkit::{EventStream, HttpRequest, Persona};
use serde_json::{Value, json};

use crate::people::sign_in_client;
use crate::support::{server_and_agent, set_plan};

/// Opens the stream of the mail that an agent receives from now on.
async fn open_inbox(agent: &Persona) -> EventStream {
    agent.open_stream(HttpRequest::new("GET", "/v0/events?event_types=message.received")).await.unwrap()
}

/// Waits for the next mail and returns its id.
async fn next_mail(stream: &mut EventStream) -> Value {
    stream.next_event().await["message"]["message_id"].clone()
}

#[tokio::test]
async fn loop_between_two_agents_is_stopped() {
    let (server, scout) = server_and_agent().await;
    let ranger = server.verified("other@example.org", "ranger").await;
    for agent in [&scout, &ranger] {
        set_plan(&server, agent, "business").await;
    }
    let (mut to_scout, mut to_ranger) = (open_inbox(&scout).await, open_inbox(&ranger).await);
    scout.send(json!({"to": ranger.inbox_id, "subject": "Hello", "text": "Hello."})).await;
    for round in 1..=50 {
        let question = next_mail(&mut to_ranger).await;
        ranger.post(&ranger.message(&question, "/reply"), json!({"text": "Hello!"})).await.ok();
        let answer = next_mail(&mut to_scout).await;
        let body = json!({"text": "Hello again!", "allow_automatic": true});
        let reply = scout.post(&scout.message(&answer, "/reply"), body).await;
        if round < 50 {
            reply.ok();
            continue;
        }
        let envelope = reply.require_error(429, "loop_budget_reached");
        assert_eq!(envelope["name"], "RateLimitError");
        assert!(envelope["message"].as_str().unwrap().contains(&ranger.inbox_id), "{envelope:#}");
        let wait: u64 = reply.header("Retry-After").unwrap().parse().unwrap();
        assert!((1..=86_400).contains(&wait) && wait > 80_000, "until the first message is a day old: {wait}");
    }
    let received = scout.get(&scout.inbox("/messages?labels=received&limit=200")).await.ok();
    assert_eq!(received["count"], 50);
    let last = &received["messages"][0];
    let (thread, answer) = (&last["thread_id"], scout.message(&last["message_id"], "/reply"));
    let draft = json!({"in_reply_to": last["message_id"], "text": "x"});
    let draft = scout.post(&scout.inbox("/drafts"), draft).await.ok();
    let send = scout.inbox(&format!("/drafts/{}/send", draft["draft_id"].as_str().unwrap()));
    scout.post(&send, json!({})).await.require_error(429, "loop_budget_reached");
    scout.post(&answer, json!({"text": "x", "to": "bob@outside.example"})).await.ok();
    assert_eq!(scout.get(&scout.thread(thread, "")).await.ok()["message_count"], 101);

    // A person may continue, and another thread has a separate budget.
    let owner = sign_in_client(&server, "owner@example.org").await;
    owner.post(&answer, json!({"text": "Let us stop here."})).await.ok();
    scout.send(json!({"to": ranger.inbox_id, "subject": "Hello", "text": "Something else."})).await;

    // After the first message is a day old, one more is permitted.
    let aged = "UPDATE messages SET timestamp = timestamp - interval '25 hours' WHERE message_id IN (
        SELECT message_id FROM messages WHERE sent_by->>'type' = 'api_key' ORDER BY timestamp LIMIT 1)";
    server.database().execute(aged).await;
    scout.post(&answer, json!({"text": "x"})).await.ok();
    scout.post(&answer, json!({"text": "x"})).await.require_error(429, "loop_budget_reached");
}
