//! Differences between mail of a key and mail of a person.

use serde_json::json;

use crate::people::{SIGN_IN, SIGN_IN_VERIFY};
use crate::sending::server_with_relay;

#[tokio::test]
async fn mail_of_key_has_auto_submitted_field_and_mail_of_person_has_none() {
    let (relay, server, agent) = server_with_relay().await;
    server.http().post(SIGN_IN, json!({"email": "owner@example.org"})).await.ok();
    let text = relay.mail_about("Your sign-in code").await.text();
    let code = text.split_once("Your sign-in code is ").unwrap().1.lines().next().unwrap().to_owned();
    let signed_in = json!({"email": "owner@example.org", "otp_code": code});
    let signed_in = server.http().post(SIGN_IN_VERIFY, signed_in).await.ok();
    let owner = server.http().with_key(signed_in["api_key"].as_str().unwrap());
    let send = agent.inbox("/messages/send");
    let letter = |subject: &str| json!({"to": "bob@outside.example", "subject": subject, "text": "x"});
    owner.post(&send, letter("by hand")).await.ok();
    agent.post(&send, letter("by a key")).await.ok();
    assert_eq!(relay.mail_about("by hand").await.headers("Auto-Submitted"), Vec::<String>::new());
    assert_eq!(relay.mail_about("by a key").await.header("Auto-Submitted"), "auto-generated");
}

#[tokio::test]
async fn header_fields_of_caller_are_sent_unchanged() {
    let (relay, _server, agent) = server_with_relay().await;
    let link = format!("<https://lists.example.org/out?token={}>", "x".repeat(300));
    let headers = json!({
        "List-Unsubscribe": format!("<mailto:out@example.org>, {link}"),
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Precedence": "bulk",
        "X-Campaign": "spring; part=\"one two\"",
    });
    let body = json!({"to": "bob@outside.example", "subject": "offers", "text": "x", "headers": headers});
    let sent = agent.send(body).await;
    let mail = relay.mail_about("offers").await;
    for (name, value) in headers.as_object().unwrap() {
        assert_eq!(mail.header(name), value.as_str().unwrap(), "{name}");
    }
    assert!(mail.text().contains(&link), "the link is unchanged:\n{}", mail.text());
    assert_eq!(mail.header("Message-ID"), sent["message_id"].as_str().unwrap());
}
