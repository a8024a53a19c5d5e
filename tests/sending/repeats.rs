//! A deliberate repeat is a new mail, and a refusal is not remembered.

use inboxd_testkit::Request;
use serde_json::json;

use crate::support::server_and_agent;

#[tokio::test]
async fn the_same_mail_sent_again_after_its_answer_is_a_second_mail() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"to": "bob@outside.example", "subject": "again", "text": "hello"});
    let (first, second) = (agent.send(body.clone()).await, agent.send(body).await);
    assert_ne!(first["message_id"], second["message_id"]);
}

#[tokio::test]
async fn refusals_are_never_replayed() {
    let server = crate::support::server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let body = json!({"to": "bob@outside.example", "text": "hello"});
    let request = Request::new("POST", &agent.inbox("/messages/send")).json(&body);
    agent.call(request.clone()).await.refused(403, "organization_unverified");
    agent.verify().await;
    agent.call(request).await.ok();
}
