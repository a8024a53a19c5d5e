//! A deliberate repeat is a new mail; a retry of a client that heard no answer is not.

use inboxd_testkit::Request;
use serde_json::json;
use tokio::io::AsyncWriteExt;

use crate::support::{at_once, server_and_agent};

#[tokio::test]
async fn the_same_mail_sent_again_after_its_answer_is_a_second_mail() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"to": "bob@outside.example", "subject": "again", "text": "hello"});
    let (first, second) = (agent.send(body.clone()).await, agent.send(body).await);
    assert_ne!(first["message_id"], second["message_id"]);
}

#[tokio::test]
async fn the_same_request_twice_at_once_is_one_mail() {
    let (_server, agent) = server_and_agent().await;
    // Large, so that the first is still running when the second comes.
    let body = json!({"to": "bob@outside.example", "subject": "once", "text": "x".repeat(3_000_000)});
    let answers = at_once((0..2).map(|_| {
        let (agent, body) = (agent.clone(), body.clone());
        async move { agent.post(&agent.inbox("/messages/send"), body).await }
    }))
    .await;
    let ids: Vec<_> = answers.iter().map(|answer| answer.ok()["message_id"].clone()).collect();
    // When the first answer was handed over before the second request came, both are mails of their own.
    let stored = agent.messages().await.len();
    assert_eq!(stored, if ids[0] == ids[1] { 1 } else { 2 });
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_makes_no_second_mail() {
    let (server, agent) = server_and_agent().await;
    let address = server.base_url().trim_start_matches("http://").to_owned();
    for number in 0..10 {
        let body =
            json!({"to": "bob@outside.example", "subject": format!("lost {number}"), "text": "x".repeat(200_000)});
        let octets = body.to_string();
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n",
            agent.inbox("/messages/send"),
            agent.key,
            octets.len()
        );
        let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(octets.as_bytes()).await.unwrap();
        // The client is gone before it reads anything; whether the mail was accepted, it cannot know.
        drop(stream);
        agent.send(body).await;
    }
    let subjects: Vec<String> = agent.messages().await.iter().map(|mail| mail["subject"].to_string()).collect();
    let distinct: std::collections::BTreeSet<_> = subjects.iter().collect();
    assert_eq!((subjects.len(), distinct.len()), (10, 10), "{subjects:?}");
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
