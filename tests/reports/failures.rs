//! Failure reports after a server accepted the mail.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use super::{delivery_report, recipient_group, send_to};

#[tokio::test]
async fn late_failure_report_bounces_and_suppresses() {
    let sent = send_to(&["gone@outside.example"]).await;
    sent.report(&delivery_report(&recipient_group("gone@outside.example", "failed", "5.1.1"))).await;
    let events = sent.events("message.bounced").await;
    assert_eq!(events.len(), 1);
    assert_snapshot!(redacted(&events[0]), @r#"
    {
      "bounce": {
        "inbox_id": "scout@signup.inboxd.localhost",
        "message_id": "[<…@signup.inboxd.localhost>]",
        "recipients": [
          {
            "address": "gone@outside.example",
            "status": "5.1.1"
          }
        ],
        "sub_type": "NoEmail",
        "thread_id": "[thr_…]",
        "timestamp": "[time]",
        "type": "Permanent"
      },
      "created_at": "[time]",
      "event_id": "[evt_…]",
      "event_type": "message.bounced",
      "inbox_id": "scout@signup.inboxd.localhost",
      "message_id": "[<…@signup.inboxd.localhost>]",
      "organization_id": "[org_…]",
      "pod_id": "[pod_…]",
      "thread_id": "[thr_…]",
      "type": "event"
    }
    "#);
    assert_eq!(sent.labels().await, json!(["bounced", "delivered", "sent"]));
    assert_eq!(sent.suppressed().await, [("gone@outside.example".to_owned(), "bounce".to_owned())]);
    let again = json!({"to": "gone@outside.example", "text": "x"});
    let again = sent.agent.post(&sent.agent.inbox("/messages/send"), again).await;
    again.require_error(403, "recipient_suppressed");
    sent.no_message_came_of_it().await;
}

/// One recipient in the report format of a real server, with the expected outcome.
#[tokio::test]
async fn report_formats_of_real_servers_are_parsed() {
    let exchange = delivery_report(
        "Original-Recipient: rfc822;gone@outside.example\r\nFinal-recipient: RFC822;x500@int.outside.example\r\n\
         Action: failed\r\nStatus: 5.0.0\r\nDiagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found\r\n\
         X-Display-Name: Gone\r\n",
    );
    let gmail = delivery_report(
        "Final-Recipient: rfc822; gone@outside.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\
         Remote-MTA: dns; in.outside.example. (192.0.2.1, the server for the domain outside.example.)\r\n\
         Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist.\r\n 550 5.1.1 see\r\n",
    );
    let exim = delivery_report(
        "Action: failed\r\nFinal-Recipient: rfc822;gone@outside.example\r\nStatus: 5.0.0\r\n\
         Diagnostic-Code: smtp; 550 Unrouteable address\r\n",
    );
    let exim_before = "X-Failed-Recipients: gone@outside.example\r\nAuto-Submitted: auto-replied\r\n\
         Subject: Mail delivery failed: returning message to sender\r\n\r\n  gone@outside.example\r\n    Unrouteable address\r\n"
        .to_owned();
    let qmail = "From: MAILER-DAEMON@mx.outside.example\r\nSubject: failure notice\r\n\r\n\
         Hi. This is the qmail-send program at mx.outside.example.\r\nI'm afraid I wasn't able to deliver your message.\r\n\r\n\
         <gone@outside.example>:\r\nSorry, no mailbox here by that name. (#5.1.1)\r\n\r\n\
         --- Below this line is a copy of the message.\r\n\r\nSubject: offer\r\n"
        .to_owned();
    let wrapped = delivery_report(&recipient_group("gone@outside.example", "FAILED", "5.1.1"))
        .replace("Content-Type: multipart/report; report-type=delivery-status;\r\n\tboundary=\"4Bq.1/mx\"", "Content-Type: multipart/mixed; boundary=outer\r\n\r\n--outer\r\nContent-Type: text/plain\r\n\r\nScanned.\r\n--outer\r\nContent-Type: multipart/report; boundary=\"4Bq.1/mx\"");
    for (server, report, status, sub_type) in [
        ("Exchange", exchange, "5.1.10", "NoEmail"),
        ("Gmail", gmail, "5.1.1", "NoEmail"),
        ("Exim", exim, "5.0.0", "General"),
        ("Exim before", exim_before, "5.0.0", "General"),
        ("qmail", qmail, "5.1.1", "NoEmail"),
        ("behind a scanner", wrapped, "5.1.1", "NoEmail"),
    ] {
        let sent = send_to(&["gone@outside.example"]).await;
        sent.report(&report).await;
        let events = sent.events("message.bounced").await;
        assert_eq!(events.len(), 1, "{server}");
        let bounce = &events[0]["bounce"];
        assert_eq!(bounce["recipients"], json!([{"address": "gone@outside.example", "status": status}]), "{server}");
        assert_eq!((&bounce["type"], &bounce["sub_type"]), (&json!("Permanent"), &json!(sub_type)), "{server}");
        assert_eq!(sent.suppressed().await.len(), 1, "{server}");
        sent.no_message_came_of_it().await;
    }
}

#[tokio::test]
async fn temporary_failure_report_bounces_without_suppression() {
    let sent = send_to(&["full@outside.example"]).await;
    sent.report(&delivery_report(&recipient_group("full@outside.example", "failed", "5.2.2"))).await;
    let bounce = sent.events("message.bounced").await[0]["bounce"].clone();
    assert_eq!((&bounce["type"], &bounce["sub_type"]), (&json!("Transient"), &json!("MailboxFull")));
    assert_eq!(sent.suppressed().await, []);
    assert_eq!(sent.labels().await, json!(["bounced", "delivered", "sent"]));
}

#[tokio::test]
async fn delay_report_appends_event_without_label_before_failure() {
    let sent = send_to(&["slow@outside.example"]).await;
    let late = delivery_report(&recipient_group("slow@outside.example", "delayed", "4.4.1"));
    for _ in 0..2 {
        sent.report(&late).await;
    }
    let events = sent.events("message.bounced").await;
    assert_eq!(events.len(), 1, "one delay event");
    let bounce = &events[0]["bounce"];
    assert_eq!((&bounce["type"], &bounce["sub_type"]), (&json!("Transient"), &json!("Delayed")));
    assert_eq!(bounce["recipients"], json!([{"address": "slow@outside.example", "status": "4.4.1"}]));
    assert_eq!((sent.labels().await, sent.suppressed().await), (json!(["delivered", "sent"]), vec![]));
    for action in ["delivered", "relayed", "expanded"] {
        sent.report(&delivery_report(&recipient_group("slow@outside.example", action, "2.0.0"))).await;
    }
    assert_eq!(sent.events("message.bounced").await.len(), 1, "a success report appends no event");
    sent.report(&delivery_report(&recipient_group("slow@outside.example", "failed", "4.4.7"))).await;
    let events = sent.events("message.bounced").await;
    assert_eq!((events.len(), &events[0]["bounce"]["sub_type"]), (2, &json!("General")));
    assert_eq!(sent.labels().await, json!(["bounced", "delivered", "sent"]));
}

#[tokio::test]
async fn recipients_are_reported_separately_and_once() {
    let sent = send_to(&["a@outside.example", "b@outside.example", "c@outside.example"]).await;
    let report = delivery_report(
        &[
            recipient_group("a@outside.example", "failed", "5.1.1"),
            recipient_group("B@OUTSIDE.example", "failed", "5.1.1"),
            recipient_group("c@outside.example", "failed", "5.7.1"),
        ]
        .join("\r\n"),
    );
    for _ in 0..3 {
        sent.report(&report).await;
    }
    let events = sent.events("message.bounced").await;
    assert_eq!(events.len(), 2, "one event for each reason in spite of repeated reports");
    let addresses = |event: &serde_json::Value| {
        let recipients = event["bounce"]["recipients"].as_array().unwrap();
        recipients.iter().map(|recipient| recipient["address"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut told: Vec<_> = events.iter().map(addresses).collect();
    told.sort();
    assert_eq!(told, [vec!["a@outside.example", "b@outside.example"], vec!["c@outside.example"]]);
    assert_eq!(sent.suppressed().await, [], "an unauthenticated report of several recipients suppresses no address");
}

#[tokio::test]
async fn report_of_already_refused_recipient_appends_no_event() {
    let (relay, server, agent) = crate::sending::server_with_relay().await;
    relay.set_reply("gone@outside.example", "550 5.1.1 no such user");
    let to = ["gone@outside.example", "bob@outside.example"];
    let sent = agent.send(json!({"to": to, "subject": "offer", "text": "An offer."})).await;
    crate::sending::wait_for_event(&agent, "message.bounced", &sent["message_id"]).await;
    let mail = relay.mail_about("offer").await;
    let sent = super::Sent { relay, server, agent, answer: sent, mail };
    sent.report(&delivery_report(&recipient_group("gone@outside.example", "failed", "5.1.1"))).await;
    assert_eq!(sent.events("message.bounced").await.len(), 1);
    sent.report(&delivery_report(&recipient_group("bob@outside.example", "failed", "5.1.1"))).await;
    assert_eq!(sent.events("message.bounced").await.len(), 2);
}
