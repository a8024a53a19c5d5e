//! Mail to and from inboxes on custom domains.

use inboxd_testkit::{MailBuilder, eventually};
use serde_json::json;

use super::{add_domain, add_verified, lift_caps, relay_with_dns, server_with_dns, verify_domain};

#[tokio::test]
async fn mail_to_custom_domain_is_received_and_answered_from_it() {
    let (dns, relay, server, agent) = relay_with_dns().await;
    add_verified(&dns, &agent, "example.com").await;
    agent.post("/v0/inboxes", json!({"username": "agent", "domain": "example.com"})).await.ok();
    let mail = MailBuilder::new("Alice <alice@outside.example>", "agent@example.com", "hello", "Hello.");
    let reply = server.deliver("alice@outside.example", &["agent+tag@Example.com"], mail.raw()).await;
    assert_eq!(reply.code, 250, "{reply:?}");
    let unknown = server.deliver("alice@outside.example", &["nobody@example.com"], mail.raw()).await;
    assert_eq!(unknown.code, 550, "{unknown:?}");
    let list = agent.get("/v0/inboxes/agent@example.com/messages").await.ok();
    assert_eq!((&list["count"], &list["messages"][0]["subject"]), (&json!(1), &json!("hello")));
    let sent = json!({"to": "bob@outside.example", "subject": "from my domain", "text": "Hello."});
    let sent = agent.post("/v0/inboxes/agent@example.com/messages/send", sent).await.ok();
    assert!(sent["message_id"].as_str().unwrap().ends_with("@example.com>"), "{sent:#}");
    let raw = String::from_utf8_lossy(&relay.mail_about("from my domain").await.raw).into_owned();
    assert!(raw.contains("From: agent@example.com") || raw.contains("From: <agent@example.com>"), "{raw}");
}

#[tokio::test]
async fn only_addresses_of_local_inboxes_are_delivered_locally() {
    let (dns, relay, server, agent) = relay_with_dns().await;
    lift_caps(&server, &agent).await;
    let other = server.sign_up("other@example.net", "other").await;
    other.verify_with(&relay.code_for("other@example.net").await).await;
    add_verified(&dns, &other, "example.com").await;
    other.post("/v0/inboxes", json!({"username": "here", "domain": "example.com"})).await.ok();
    // Another organization may have an unverified record of a domain; mail of others is unaffected.
    super::add_domain(&agent, "outside.example").await;
    let to = ["Here@example.com", "elsewhere@example.com", "bob@outside.example"];
    agent.send(json!({"to": to, "subject": "to three", "text": "Hello."})).await;
    let mut left = relay.mail_about("to three").await.to;
    left.sort();
    assert_eq!(left, ["bob@outside.example", "elsewhere@example.com"]);
    eventually("it arrives locally", async || {
        let list = other.get("/v0/inboxes/here@example.com/messages").await.ok();
        (list["count"] == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn inbox_on_lost_domain_is_read_only() {
    let (dns, server, agent) = server_with_dns().await;
    let ours = add_verified(&dns, &agent, "take.example").await;
    agent.post("/v0/inboxes", json!({"username": "ceo", "domain": "take.example"})).await.ok();
    let deliver = async |subject: &str, to: &str| {
        let mail = MailBuilder::new("Alice <alice@outside.example>", to, subject, "Hello.");
        server.deliver("alice@outside.example", &[to], mail.raw()).await.code
    };
    assert_eq!(deliver("before", "ceo@take.example").await, 250);

    let other = server.verified("other@example.net", "other").await;
    let theirs = add_domain(&other, "take.example").await;
    let key = "inboxd._domainkey.take.example";
    dns.remove(key);
    dns.publish(super::find_record(&theirs, "TXT", key));
    // The name passes on after a verification of both, or of the new owner alone.
    assert_eq!(verify_domain(&agent, &ours).await["status"], "INVALID");
    assert_eq!(deliver("between", "ceo@take.example").await, 250, "no other organization has verified it yet");
    assert_eq!(verify_domain(&other, &theirs).await["status"], "VERIFIED");
    assert_eq!(deliver("after", "ceo@take.example").await, 550);
    assert_eq!(deliver("tagged", "Ceo+tag@Take.example").await, 550);
    let send = json!({"to": "bob@outside.example", "subject": "from whom?", "text": "Hello."});
    let refused = agent.post("/v0/inboxes/ceo@take.example/messages/send", send.clone()).await;
    let envelope = refused.require_error(403, "domain_not_verified");
    assert!(envelope["fix"].as_str().unwrap().contains("send from another inbox"), "{envelope:#}");
    agent.send(send.clone()).await;
    let list = agent.get("/v0/inboxes/ceo@take.example/messages").await.ok();
    let subjects: Vec<_> = list["messages"].as_array().unwrap().iter().map(|message| &message["subject"]).collect();
    assert_eq!(subjects, ["between", "before"], "earlier mail is still readable");

    // An existing address never changes its owner; other names on the domain are free.
    let taken = other.post("/v0/inboxes", json!({"username": "ceo", "domain": "take.example"})).await;
    taken.require_error(409, "address_taken");
    other.post("/v0/inboxes", json!({"username": "chief", "domain": "take.example"})).await.ok();
    assert_eq!(deliver("to the new owner", "chief@take.example").await, 250);

    // The address works again when the domain is verified again.
    dns.remove(key);
    dns.publish(super::find_record(&ours, "TXT", key));
    assert_eq!(verify_domain(&agent, &ours).await["status"], "VERIFIED");
    assert_eq!(deliver("back", "ceo@take.example").await, 250);
    assert_eq!(deliver("gone", "chief@take.example").await, 550);
    agent.post("/v0/inboxes/ceo@take.example/messages/send", send).await.ok();
}
