//! Readers who mark a mail as spam.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use super::{arf, sent_to};

#[tokio::test]
async fn a_complaint_is_told_and_the_address_is_never_written_to_again() {
    let sent = sent_to(&["angry@outside.example"]).await;
    let report = arf("abuse", "Original-Mail-From: <x@y.example>\r\nOriginal-Rcpt-To: <Angry@outside.example>\r\n");
    // Feedback comes from whoever the provider has for it.
    for _ in 0..2 {
        let reply = sent.server.deliver("fbl@provider.example", &[&sent.mail.from], report.clone().into_bytes()).await;
        reply.is(250, "2");
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
    let envelope = refused.refused(403, "recipient_suppressed");
    assert!(envelope["fix"].as_str().unwrap().contains("spam"), "{envelope:#}");
    assert_eq!(sent.events("message.bounced").await.len(), 0);
    sent.no_message_came_of_it().await;
}

#[tokio::test]
async fn every_kind_of_complaint_counts_and_praise_does_not() {
    for (kind, counts) in [("fraud", true), ("virus", true), ("opt-out-list", true), ("not-spam", false)] {
        let sent = sent_to(&["angry@outside.example"]).await;
        // Nobody is named: there was but one.
        sent.report(&arf(kind, "")).await;
        let events = sent.events("message.complained").await;
        let kinds: Vec<_> = events.iter().map(|event| event["complaint"]["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, if counts { vec![kind] } else { vec![] });
        assert_eq!(sent.suppressed().await.len(), usize::from(counts), "{kind}");
        sent.no_message_came_of_it().await;
    }
}

#[tokio::test]
async fn several_may_complain_at_once() {
    let sent = sent_to(&["a@outside.example", "b@outside.example", "c@outside.example"]).await;
    sent.report(&arf("abuse", "Original-Rcpt-To: a@outside.example\r\nOriginal-Rcpt-To: b@outside.example\r\n")).await;
    let recipients = &sent.events("message.complained").await[0]["complaint"]["recipients"];
    assert_eq!(recipients, &json!(["a@outside.example", "b@outside.example"]));
    // Of three, nobody knows who else it was, which is told once.
    for _ in 0..2 {
        sent.report(&arf("abuse", "")).await;
    }
    let events = sent.events("message.complained").await;
    assert_eq!((events.len(), &events[0]["complaint"]["recipients"]), (2, &json!([])));
    assert_eq!(sent.suppressed().await, [], "one of them may have made it up, and nobody vouches for it");
}

#[tokio::test]
async fn feedback_that_comes_to_an_inbox_is_mail() {
    let sent = sent_to(&["angry@outside.example"]).await;
    let report = arf("abuse", "Original-Rcpt-To: <angry@outside.example>\r\n");
    sent.server.deliver("", &[&sent.agent.inbox_id], report.into_bytes()).await.is(250, "2");
    assert_eq!(sent.events("message.complained").await.len(), 0, "reports count at the return path alone");
    assert_eq!((sent.suppressed().await, sent.agent.messages().await.len()), (vec![], 2));
}
