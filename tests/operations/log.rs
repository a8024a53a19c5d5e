//! Structured logs with a request id.

use inboxd_testkit::Request;

use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn every_answer_has_a_request_id_that_the_log_has_too() {
    let (server, agent) = server_and_agent().await;
    let answer = agent.get("/v0/inboxes").await;
    let made = answer.header("X-Request-Id").unwrap().to_owned();
    assert!(made.len() >= 8, "{made}");
    let given = agent.call(Request::new("GET", "/v0/inboxes").header("X-Request-Id", "from-client-1")).await;
    assert_eq!(given.header("X-Request-Id"), Some("from-client-1"));
    for id in [made.as_str(), "from-client-1"] {
        server.log().entry(&format!("{id} in the log"), |entry| entry.to_string().contains(id)).await;
    }
    // What could break the log or another reader of it is not taken over.
    let long = "x".repeat(5_000);
    let answer = agent.call(Request::new("GET", "/v0/inboxes").header("X-Request-Id", &long)).await;
    assert_ne!(answer.header("X-Request-Id"), Some(long.as_str()));
    assert!(agent.get("/v0/nothing").await.header("X-Request-Id").is_some());
}

#[tokio::test]
async fn neither_keys_nor_what_mail_says_are_logged() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "CONFIDENTIAL")).await;
    agent.message_about("CONFIDENTIAL").await;
    agent.get(&agent.inbox("/messages/search?q=CONFIDENTIAL")).await.ok();
    let received = server.log().entry("the mail is logged", |entry| entry["message"] == "mail received").await;
    assert_eq!(received["inbox_id"], agent.inbox_id);
    let log = server.log().lines().join("\n");
    assert!(!log.contains(&agent.key), "the log shows a key");
    assert!(!log.contains("About CONFIDENTIAL"), "the log shows the text of a mail");
}
