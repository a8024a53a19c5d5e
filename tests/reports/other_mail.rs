//! Mail to return paths that is no report.

use inboxd_testkit::MailBuilder;
use serde_json::json;

use super::send_to;

#[tokio::test]
async fn out_of_office_reply_is_accepted_and_discarded() {
    let sent = send_to(&["bob@outside.example"]).await;
    let away = MailBuilder::new("bob@outside.example", &sent.mail.from, "Out of office", "I am away.")
        .header("Auto-Submitted", "auto-replied");
    sent.server.deliver("", &[&sent.mail.from], away.raw()).await.require_code(250, "2");
    sent.no_message_came_of_it().await;
    assert_eq!(sent.labels().await, json!(["delivered", "sent"]));
}

#[tokio::test]
async fn ordinary_mail_to_return_path_is_refused_with_address_to_use() {
    let sent = send_to(&["bob@outside.example"]).await;
    let letter = MailBuilder::new("bob@outside.example", &sent.mail.from, "Re: offer", "Yes, please.").raw();
    let reply = sent.server.deliver("bob@outside.example", &[&sent.mail.from], letter).await;
    reply.require_code(550, "5.7.1");
    assert!(reply.lines[0].contains("From field"), "{reply:?}");
    sent.no_message_came_of_it().await;
}

#[tokio::test]
async fn local_mail_to_return_path_bounces() {
    let sent = send_to(&["bob@outside.example"]).await;
    let to = sent.mail.from.clone();
    let second = sent.agent.send(json!({"to": to, "subject": "inside", "text": "x"})).await;
    let bounced = crate::sending::wait_for_event(&sent.agent, "message.bounced", &second["message_id"]).await;
    assert_eq!(bounced["bounce"]["recipients"], json!([{"address": to, "status": "5.7.1"}]));
    assert_eq!(sent.suppressed().await, []);
}

#[tokio::test]
async fn looping_or_too_large_report_is_refused() {
    let sent = send_to(&["bob@outside.example"]).await;
    let hop = "Received: from a.example by b.example; Fri, 20 Nov 2026 10:00:00 +0000\r\n";
    let report = format!(
        "{}{}",
        hop.repeat(26),
        super::delivery_report(&super::recipient_group("bob@outside.example", "failed", "5.1.1"))
    );
    sent.server.deliver("", &[&sent.mail.from], report.into_bytes()).await.require_code(554, "5.4.6");
    assert_eq!(sent.events("message.bounced").await.len(), 0);
}
