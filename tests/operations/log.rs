//! Structured log with request ids.

use inboxd_testkit::{HttpRequest, eventually};
use serde_json::json;

use crate::people::SIGN_IN;
use crate::support::{mail_to, options, receive, server_and_agent};

#[tokio::test]
async fn response_has_request_id_of_log() {
    let (server, agent) = server_and_agent().await;
    let answer = agent.get("/v0/inboxes").await;
    let made = answer.header("X-Request-Id").unwrap().to_owned();
    assert!(made.len() >= 8, "{made}");
    let given = agent.call(HttpRequest::new("GET", "/v0/inboxes").header("X-Request-Id", "from-client-1")).await;
    assert_eq!(given.header("X-Request-Id"), Some("from-client-1"));
    for id in [made.as_str(), "from-client-1"] {
        server.log().entry(&format!("{id} in the log"), |entry| entry.to_string().contains(id)).await;
    }
    // A request id that could break log lines is replaced.
    let long = "x".repeat(5_000);
    let answer = agent.call(HttpRequest::new("GET", "/v0/inboxes").header("X-Request-Id", &long)).await;
    assert_ne!(answer.header("X-Request-Id"), Some(long.as_str()));
    assert!(agent.get("/v0/nothing").await.header("X-Request-Id").is_some());
}

#[tokio::test]
async fn keys_and_mail_content_are_not_logged() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "CONFIDENTIAL")).await;
    agent.message_about("CONFIDENTIAL").await;
    let search = agent.get(&agent.inbox("/messages/search?q=CONFIDENTIAL")).await;
    let id = search.header("X-Request-Id").unwrap().to_owned();
    search.ok();
    let received = server.log().entry("the mail is logged", |entry| entry["message"] == "message received").await;
    server.log().entry("the search is logged", |entry| entry["id"] == id).await;
    assert_eq!(received["inbox_id"], agent.inbox_id);
    let log = server.log().lines().join("\n");
    assert!(!log.contains(&agent.key), "the log contains a key");
    assert!(!log.contains("About CONFIDENTIAL"), "the log contains the text of a mail");
}

#[tokio::test]
async fn codes_are_logged_only_on_loopback() {
    for (address, is_shown) in [("127.0.0.1:0", true), ("0.0.0.0:0", false)] {
        let server = options().set("INBOXD_HTTP_ADDR", address).start().await;
        server.sign_up("owner@example.org", "scout").await;
        server.http().post(SIGN_IN, json!({"email": "owner@example.org"})).await.ok();
        for kind in ["verification", "sign-in"] {
            // The operator finds the code in the captured mail at any API address.
            let code = eventually(&format!("the {kind} code is captured"), async || {
                let output = server.command(&["admin", "captured"]).await;
                let text = String::from_utf8(output.stdout).unwrap();
                let (_, rest) = text.split_once(&format!("Your {kind} code is "))?;
                Some(rest.chars().take(6).collect::<String>())
            })
            .await;
            assert!(code.len() == 6 && code.bytes().all(|digit| digit.is_ascii_digit()), "{code}");
            let about = format!("Your {kind} code");
            let is_of_it = |entry: &serde_json::Value| entry["subject"] == about && entry["to"] == "owner@example.org";
            let mut entry = server.log().entry(&format!("{about} is logged"), is_of_it).await;
            // The digits of a time can equal any code.
            entry.as_object_mut().unwrap().remove("timestamp");
            assert_eq!(entry.to_string().contains(&code), is_shown, "{address}: {entry:#}");
            assert_eq!(entry.get("text").is_some(), is_shown, "{address}: {entry:#}");
        }
        assert_eq!(server.log().lines().join("\n").contains("code is "), is_shown, "{address}");
    }
}
