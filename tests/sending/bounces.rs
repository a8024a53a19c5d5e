//! Permanently refused recipients, and the consequences.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use super::{server_with_relay, wait_for_event};
use crate::send_methods::{every_send_method, receive_question};
use crate::support::{server_and_agent, set_plan};

#[tokio::test]
async fn refused_recipient_bounces_and_others_are_delivered() {
    let (relay, _server, agent) = server_with_relay().await;
    relay.set_reply("gone@outside.example", "550 5.1.1 no such user");
    let to = ["bob@outside.example", "gone@outside.example"];
    let sent = agent.send(json!({"to": to, "subject": "hello", "text": "hello"})).await;
    let id = &sent["message_id"];
    let bounced = wait_for_event(&agent, "message.bounced", id).await;
    assert_snapshot!(redacted(&bounced), @r#"
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
    let delivered = wait_for_event(&agent, "message.delivered", id).await;
    assert_eq!(delivered["delivery"]["recipients"], json!(["bob@outside.example"]));
    let message = agent.get(&agent.message(id, "")).await.ok();
    assert_eq!(message["labels"], json!(["bounced", "delivered", "sent"]));
    assert_eq!(relay.mail_about("hello").await.to, ["bob@outside.example"]);
}

#[tokio::test]
async fn refused_address_is_suppressed() {
    let (relay, server, agent) = server_with_relay().await;
    relay.set_reply("gone@outside.example", "550 5.1.1 no such user");
    let sent = agent.send(json!({"to": "gone@outside.example", "text": "hello"})).await;
    wait_for_event(&agent, "message.bounced", &sent["message_id"]).await;
    let path = agent.inbox("/messages/send");
    for to in [json!("Gone@Outside.example"), json!(["bob@outside.example", "Gone <gone@outside.example>"])] {
        let answer = agent.post(&path, json!({"to": to, "text": "again"})).await;
        let envelope = answer.require_error(403, "recipient_suppressed");
        assert!(envelope["message"].as_str().unwrap().to_lowercase().contains("gone@outside.example"), "{envelope:#}");
    }
    // Suppressions of one organization do not affect others.
    let other = server.sign_up("other@example.org", "ranger").await;
    other.verify_with(&relay.code_for("other@example.org").await).await;
    other.send(json!({"to": "gone@outside.example", "text": "hello"})).await;
}

#[tokio::test]
async fn refusal_of_message_does_not_suppress_address() {
    let (relay, _server, agent) = server_with_relay().await;
    relay.reply_once("bob@outside.example", "552 5.2.2 mailbox full");
    let sent = agent.send(json!({"to": "bob@outside.example", "subject": "first", "text": "hello"})).await;
    let bounced = wait_for_event(&agent, "message.bounced", &sent["message_id"]).await;
    assert_eq!(
        (&bounced["bounce"]["type"], &bounced["bounce"]["sub_type"]),
        (&json!("Transient"), &json!("MailboxFull"))
    );
    let again = agent.send(json!({"to": "bob@outside.example", "subject": "second", "text": "hello"})).await;
    wait_for_event(&agent, "message.delivered", &again["message_id"]).await;
}

#[tokio::test]
async fn suppressed_address_is_refused_on_every_plan_before_caps() {
    let (server, agent) = server_and_agent().await;
    let addresses = [("gone@outside.example", "bounce"), ("angry@outside.example", "complaint")];
    let mut methods = Vec::new();
    for (address, reason) in addresses {
        methods.extend(every_send_method(&agent, &receive_question(&server, &agent, address).await).await);
        let suppress = format!(
            "INSERT INTO suppressions SELECT organization_id, '{address}', '{reason}', now() FROM organizations"
        );
        server.database().execute(&suppress).await;
    }
    for plan in ["free", "startup", "business", "enterprise"] {
        set_plan(&server, &agent, plan).await;
        for used in [0_u64, 1_000_000_000_000] {
            let sql = format!(
                "DELETE FROM send_counts; \
                 INSERT INTO send_counts SELECT organization_id, (now() AT TIME ZONE 'UTC')::date, {used} \
                 FROM organizations; \
                 UPDATE inbox_usage SET storage_bytes = {used}"
            );
            server.database().execute(&sql).await;
            for method in &methods {
                let envelope = method.send(&agent).await.require_error(403, "recipient_suppressed");
                assert_eq!(envelope["name"], "ForbiddenError", "{} on {plan}", method.name);
            }
        }
    }
    assert_eq!(agent.messages().await.len(), 2, "nothing was sent");
}
