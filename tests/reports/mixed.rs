//! SMTP transactions with both return paths and inboxes.

use serde_json::json;

use super::{delivery_report, recipient_group, send_to};
use crate::support::mail_to;

#[tokio::test]
async fn report_to_return_path_and_inbox_counts_and_is_stored() {
    let sent = send_to(&["gone@outside.example"]).await;
    let report = delivery_report(&recipient_group("gone@outside.example", "failed", "5.1.1"));
    let to = [sent.agent.inbox_id.as_str(), &sent.mail.from];
    for _ in 0..2 {
        sent.server.deliver("", &to, report.clone().into_bytes()).await.require_code(250, "2");
    }
    assert_eq!(sent.events("message.bounced").await.len(), 1);
    let received = sent.agent.get(&sent.agent.inbox("/messages?labels=received")).await.ok();
    assert_eq!(received["messages"][0]["subject"], json!("Undelivered Mail Returned to Sender"));
    assert_eq!(sent.labels().await, json!(["bounced", "delivered", "sent"]));
}

#[tokio::test]
async fn report_to_two_return_paths_counts_for_both() {
    let sent = send_to(&["gone@outside.example"]).await;
    let other = json!({"to": "gone@outside.example", "subject": "another", "text": "x"});
    let other = sent.agent.send(other).await;
    let paths = [sent.mail.from.clone(), sent.relay.mail_about("another").await.from];
    let report = delivery_report(&recipient_group("gone@outside.example", "failed", "5.1.1"));
    sent.server.deliver("", &[&paths[0], &paths[1]], report.into_bytes()).await.require_code(250, "2");
    for id in [&sent.answer["message_id"], &other["message_id"]] {
        crate::sending::wait_for_event(&sent.agent, "message.bounced", id).await;
    }
    assert_eq!(sent.suppressed().await.len(), 1);
}

#[tokio::test]
async fn ordinary_mail_to_inbox_and_return_path_is_refused_for_both() {
    let sent = send_to(&["bob@outside.example"]).await;
    let to = [sent.agent.inbox_id.as_str(), &sent.mail.from];
    let letter = mail_to(&sent.agent, "letter").raw();
    sent.server.deliver("alice@outside.example", &to, letter.clone()).await.require_code(550, "5.7.1");
    assert_eq!(sent.agent.messages().await.len(), 1);
    // The null sender receives no bounce; the inbox has the mail.
    sent.server.deliver("", &to, letter).await.require_code(250, "2");
    sent.agent.message_about("letter").await;
}
