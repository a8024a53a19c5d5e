//! Local recipients, delivered within the server.

use serde_json::json;

use super::{server_with_relay, wait_for_event};

#[tokio::test]
async fn mail_between_local_inboxes_stays_inside() {
    let (relay, server, agent) = server_with_relay().await;
    let other = server.sign_up("other@example.org", "ranger").await;
    let to = [format!("Ranger <{}>", other.inbox_id.to_uppercase()), "bob@outside.example".to_owned()];
    let sent = agent.send(json!({"to": to, "subject": "inside", "text": "hello"})).await;
    assert_eq!(relay.mail_about("inside").await.to, ["bob@outside.example"]);
    let message = inboxd_testkit::eventually("the message arrives", async || {
        other.messages().await.into_iter().find(|message| message["subject"] == "inside")
    })
    .await;
    assert_eq!(message["message_id"], sent["message_id"], "the Message-ID stays the same");
    assert_eq!(message["labels"], json!(["received", "unread"]));
    wait_for_event(&other, "message.received", &sent["message_id"]).await;
    wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;

    // The reply joins the thread.
    other.verify_with(&relay.code_for("other@example.org").await).await;
    other.post(&other.message(&sent["message_id"], "/reply"), json!({"text": "hello back"})).await.ok();
    inboxd_testkit::eventually("the reply arrives", async || {
        let thread = agent.get(&agent.thread(&sent["thread_id"], "")).await.ok();
        (thread["message_count"] == 2).then_some(())
    })
    .await;
}

#[tokio::test]
async fn inbox_can_send_to_itself() {
    let (_relay, _server, agent) = server_with_relay().await;
    let sent = agent.send(json!({"to": agent.inbox_id, "subject": "note to self", "text": "remember"})).await;
    wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
    // The sent message has the id already, so the received copy gets a different id in the same inbox.
    let received = agent.get(&agent.inbox("/messages?labels=received")).await.ok();
    assert_eq!((&received["count"], &received["messages"][0]["subject"]), (&json!(1), &json!("note to self")));
    assert_ne!(received["messages"][0]["message_id"], sent["message_id"]);
    wait_for_event(&agent, "message.received", &received["messages"][0]["message_id"]).await;
}

#[tokio::test]
async fn mail_to_missing_local_inbox_bounces() {
    let (_relay, _server, agent) = server_with_relay().await;
    let sent = agent.send(json!({"to": "nobody@inboxd.localhost", "text": "hello"})).await;
    let bounced = wait_for_event(&agent, "message.bounced", &sent["message_id"]).await;
    assert_eq!(bounced["bounce"]["recipients"], json!([{"address": "nobody@inboxd.localhost", "status": "5.1.1"}]));
}
