//! Spam complaints of recipients.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use super::{feedback_report, send_to};

#[tokio::test]
async fn complaint_appends_event_and_suppresses_address() {
    let sent = send_to(&["angry@outside.example"]).await;
    let report =
        feedback_report("abuse", "Original-Mail-From: <x@y.example>\r\nOriginal-Rcpt-To: <Angry@outside.example>\r\n");
    // Feedback can come from any address of the provider.
    for _ in 0..2 {
        let reply = sent.server.deliver("fbl@provider.example", &[&sent.mail.from], report.clone().into_bytes()).await;
        reply.require_code(250, "2");
    }
    let events = sent.events("message.complained").await;
    assert_eq!(events.len(), 1);
    assert_snapshot!(redacted(&events[0]), @r#"
    {
      "complaint": {
        "inbox_id": "scout@signup.inboxd.localhost",
        "message_id": "[<…@signup.inboxd.localhost>]",
        "recipients": [
          "angry@outside.example"
        ],
        "sub_type": "General",
        "thread_id": "[thr_…]",
        "timestamp": "[time]",
        "type": "abuse"
      },
      "created_at": "[time]",
      "event_id": "[evt_…]",
      "event_type": "message.complained",
      "inbox_id": "scout@signup.inboxd.localhost",
      "message_id": "[<…@signup.inboxd.localhost>]",
      "organization_id": "[org_…]",
      "pod_id": "[pod_…]",
      "thread_id": "[thr_…]",
      "type": "event"
    }
    "#);
    assert_eq!(sent.labels().await, json!(["complained", "delivered", "sent"]));
    assert_eq!(sent.suppressed().await, [("angry@outside.example".to_owned(), "complaint".to_owned())]);
    let again = json!({"to": "angry@outside.example", "text": "x"});
    let refused = sent.agent.post(&sent.agent.inbox("/messages/send"), again).await;
    let envelope = refused.require_error(403, "recipient_suppressed");
    assert!(envelope["fix"].as_str().unwrap().contains("spam"), "{envelope:#}");
    assert_eq!(sent.events("message.bounced").await.len(), 0);
    sent.no_message_came_of_it().await;
}

#[tokio::test]
async fn negative_feedback_counts_and_not_spam_does_not() {
    for (kind, counts) in [("fraud", true), ("virus", true), ("opt-out-list", true), ("not-spam", false)] {
        let sent = send_to(&["angry@outside.example"]).await;
        // The report names no recipient, but the mail has only one.
        sent.report(&feedback_report(kind, "")).await;
        let events = sent.events("message.complained").await;
        let kinds: Vec<_> = events.iter().map(|event| event["complaint"]["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, if counts { vec![kind] } else { vec![] });
        assert_eq!(sent.suppressed().await.len(), usize::from(counts), "{kind}");
        sent.no_message_came_of_it().await;
    }
}

#[tokio::test]
async fn several_recipients_can_complain_separately() {
    let sent = send_to(&["a@outside.example", "b@outside.example", "c@outside.example"]).await;
    sent.report(&feedback_report(
        "abuse",
        "Original-Rcpt-To: a@outside.example\r\nOriginal-Rcpt-To: b@outside.example\r\n",
    ))
    .await;
    let recipients = &sent.events("message.complained").await[0]["complaint"]["recipients"];
    assert_eq!(recipients, &json!(["a@outside.example", "b@outside.example"]));
    // The complainant among three recipients is unknown, which one event reports.
    for _ in 0..2 {
        sent.report(&feedback_report("abuse", "")).await;
    }
    let events = sent.events("message.complained").await;
    assert_eq!((events.len(), &events[0]["complaint"]["recipients"]), (2, &json!([])));
    assert_eq!(sent.suppressed().await, [], "an unauthenticated report of several recipients suppresses no address");
}

#[tokio::test]
async fn feedback_to_inbox_is_ordinary_mail() {
    let sent = send_to(&["angry@outside.example"]).await;
    let report = feedback_report("abuse", "Original-Rcpt-To: <angry@outside.example>\r\n");
    sent.server.deliver("", &[&sent.agent.inbox_id], report.into_bytes()).await.require_code(250, "2");
    assert_eq!(sent.events("message.complained").await.len(), 0, "reports count only at the return path");
    assert_eq!((sent.suppressed().await, sent.agent.messages().await.len()), (vec![], 2));
}
