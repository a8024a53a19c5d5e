//! Forged reports.

use inboxd_testkit::HttpRequest;
use serde_json::json;

use super::{delivery_report, feedback_report, recipient_group, send_to};

#[tokio::test]
async fn unsigned_return_path_is_unknown_address() {
    let sent = send_to(&["bob@outside.example"]).await;
    let (local, domain) = sent.mail.from.rsplit_once('@').unwrap();
    let last = if local.ends_with('0') { "1" } else { "0" };
    let forged = format!("{}{last}@{domain}", &local[..local.len() - 1]);
    let elsewhere = format!("{local}@elsewhere.example");
    let unsigned = format!("{}@{domain}", &local[..local.rfind('-').unwrap()]);
    let mut client = sent.server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<>").await.require_code(250, "2");
    for address in [&forged, &elsewhere, &unsigned] {
        client.command(&format!("RCPT TO:<{address}>")).await.require_code(550, "5.1.1");
    }
    // Some systems change the letter case of addresses.
    client.command(&format!("RCPT TO:<{}>", sent.mail.from.to_uppercase())).await.require_code(250, "2");
    assert_eq!(sent.events("message.bounced").await.len(), 0);
}

#[tokio::test]
async fn report_of_foreign_recipient_is_ignored() {
    let sent = send_to(&["bob@outside.example"]).await;
    sent.report(&delivery_report(&recipient_group("victim@outside.example", "failed", "5.1.1"))).await;
    sent.report(&feedback_report("abuse", "Original-Rcpt-To: victim@outside.example\r\n")).await;
    for kind in ["message.bounced", "message.complained"] {
        assert_eq!(sent.events(kind).await.len(), 0, "{kind}");
    }
    assert_eq!((sent.suppressed().await, sent.labels().await), (vec![], json!(["delivered", "sent"])));
}

#[tokio::test]
async fn report_of_local_recipient_is_ignored() {
    let (relay, server, agent) = crate::sending::server_with_relay().await;
    let other = server.sign_up("other@example.org", "ranger").await;
    let to = [other.inbox_id.as_str(), "bob@outside.example"];
    let sent = agent.send(json!({"to": to, "subject": "offer", "text": "An offer."})).await;
    let mail = relay.mail_about("offer").await;
    crate::sending::wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
    let received = inboxd_testkit::eventually("the message arrives", async || other.messages().await.pop()).await;
    let id = inboxd_testkit::encoded(received["message_id"].as_str().unwrap());
    let raw = HttpRequest::new("GET", &format!("/v0/inboxes/{}/messages/{id}/raw", other.inbox_id));
    let raw = other.call(raw.header("Accept", "message/rfc822")).await.text();
    let inside = raw.strip_prefix("Return-Path: <").unwrap().split_once('>').unwrap().0.to_owned();
    assert_ne!(inside, mail.from, "local and external routes have separate return paths");
    let sent = super::Sent { relay, server, agent, answer: sent, mail };
    let report = delivery_report(&recipient_group(&other.inbox_id, "failed", "5.1.1"));
    sent.report(&report).await;
    sent.server.deliver("", &[&inside], report.into_bytes()).await.require_code(250, "2");
    assert_eq!((sent.events("message.bounced").await.len(), sent.suppressed().await), (0, vec![]));
}
