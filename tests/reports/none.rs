//! What comes to a return path and is no report.

use inboxd_testkit::Mail;
use serde_json::json;

use super::sent_to;

#[tokio::test]
async fn an_out_of_office_note_is_taken_and_forgotten() {
    let sent = sent_to(&["bob@outside.example"]).await;
    let away = Mail::new("bob@outside.example", &sent.mail.from, "Out of office", "I am away.")
        .header("Auto-Submitted", "auto-replied");
    sent.server.deliver("", &[&sent.mail.from], away.raw()).await.is(250, "2");
    sent.no_message_came_of_it().await;
    assert_eq!(sent.labels().await, json!(["delivered", "sent"]));
}

#[tokio::test]
async fn whoever_writes_there_is_told_where_to_write() {
    let sent = sent_to(&["bob@outside.example"]).await;
    let letter = Mail::new("bob@outside.example", &sent.mail.from, "Re: offer", "Yes, please.").raw();
    let reply = sent.server.deliver("bob@outside.example", &[&sent.mail.from], letter).await;
    reply.is(550, "5.7.1");
    assert!(reply.lines[0].contains("From field"), "{reply:?}");
    sent.no_message_came_of_it().await;
}

#[tokio::test]
async fn a_mail_from_within_to_a_return_path_bounces() {
    let sent = sent_to(&["bob@outside.example"]).await;
    let to = sent.mail.from.clone();
    let second = sent.agent.send(json!({"to": to, "subject": "inside", "text": "x"})).await;
    let bounced = crate::sending::event(&sent.agent, "message.bounced", &second["message_id"]).await;
    assert_eq!(bounced["bounce"]["recipients"], json!([{"address": to, "status": "5.7.1"}]));
    assert_eq!(sent.suppressed().await, []);
}

#[tokio::test]
async fn a_report_that_runs_in_a_circle_or_is_too_large_is_refused_as_any_mail() {
    let sent = sent_to(&["bob@outside.example"]).await;
    let hop = "Received: from a.example by b.example; Fri, 20 Nov 2026 10:00:00 +0000\r\n";
    let report = format!("{}{}", hop.repeat(26), super::dsn(&super::group("bob@outside.example", "failed", "5.1.1")));
    sent.server.deliver("", &[&sent.mail.from], report.into_bytes()).await.is(554, "5.4.6");
    assert_eq!(sent.events("message.bounced").await.len(), 0);
}
