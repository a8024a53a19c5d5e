//! Bounce and feedback reports to return paths, and other mail to them.

mod complaints;
mod deleted;
mod domains;
mod failures;
mod forged;
mod mixed;
mod other_mail;

use inboxd_testkit::{Persona, RelayServer, RelayedMail, TestServer};
use serde_json::{Value, json};

use crate::sending::server_with_relay;

/// A delivered message with its server, agent and relay.
struct Sent {
    relay: RelayServer,
    server: TestServer,
    agent: Persona,
    /// Response of the API.
    answer: Value,
    /// Mail at the relay.
    mail: RelayedMail,
}

impl Sent {
    /// Delivers a report to the return path as the null sender.
    async fn report(&self, raw: &str) {
        self.server.deliver("", &[&self.mail.from], raw.as_bytes().to_vec()).await.require_code(250, "2");
    }

    /// Returns the events of a type about the message, newest first.
    async fn events(&self, event_type: &str) -> Vec<Value> {
        let list = self.agent.get(&format!("/v0/events?event_types={event_type}")).await.ok();
        let all = list["events"].as_array().unwrap();
        all.iter().filter(|event| event["message_id"] == self.answer["message_id"]).cloned().collect()
    }

    /// Returns the labels of the sent message.
    async fn labels(&self) -> Value {
        self.agent.get(&self.agent.message(&self.answer["message_id"], "")).await.ok()["labels"].clone()
    }

    /// Returns the suppressed addresses with their reasons.
    async fn suppressed(&self) -> Vec<(String, String)> {
        let list = self.agent.get("/v0/suppressions").await.ok();
        let field = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
        let all = list["suppressions"].as_array().unwrap();
        let mut all: Vec<_> = all.iter().map(|entry| (field(entry, "address"), field(entry, "reason"))).collect();
        all.sort();
        all
    }

    /// Requires that only the sent message exists: a report is no message and starts no thread.
    async fn no_message_came_of_it(&self) {
        assert_eq!(self.agent.messages().await.len(), 1);
        assert_eq!(self.agent.get(&self.agent.inbox("/threads")).await.ok()["count"], 1);
        assert_eq!(self.events("message.received").await, Vec::<Value>::new());
    }
}

/// Sends a message to these recipients through the relay.
async fn send_to(recipients: &[&str]) -> Sent {
    let (relay, server, agent) = server_with_relay().await;
    let sent = agent.send(json!({"to": recipients, "subject": "offer", "text": "An offer."})).await;
    let mail = relay.mail_about("offer").await;
    crate::sending::wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
    Sent { relay, server, agent, answer: sent, mail }
}

/// Creates a delivery report (RFC 3464) with these field groups in its second part.
fn delivery_report(groups: &str) -> String {
    format!(
        "From: MAILER-DAEMON@mx.outside.example (Mail Delivery System)\r\nSubject: Undelivered Mail Returned to Sender\r\n\
         Auto-Submitted: auto-replied\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=delivery-status;\r\n\tboundary=\"4Bq.1/mx\"\r\n\r\n\
         This is a MIME-encapsulated message.\r\n\r\n--4Bq.1/mx\r\nContent-Description: Notification\r\n\
         Content-Type: text/plain; charset=us-ascii\r\n\r\nI'm sorry to have to inform you.\r\n\r\n--4Bq.1/mx\r\n\
         Content-Description: Delivery report\r\nContent-Type: message/delivery-status\r\n\r\n\
         Reporting-MTA: dns; mx.outside.example\r\n\r\n{groups}\r\n\r\n--4Bq.1/mx\r\n\
         Content-Type: text/rfc822-headers\r\n\r\nSubject: offer\r\n\r\n--4Bq.1/mx--\r\n"
    )
}

/// Creates the field group of one recipient.
fn recipient_group(recipient: &str, action: &str, status: &str) -> String {
    format!("Final-Recipient: rfc822; {recipient}\r\nAction: {action}\r\nStatus: {status}\r\n")
}

/// Creates a feedback report (RFC 5965) with these additional fields.
fn feedback_report(kind: &str, fields: &str) -> String {
    format!(
        "From: <abusedesk@provider.example>\r\nSubject: FW: offer\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=feedback-report; boundary=\"p\"\r\n\r\n--p\r\n\
         Content-Type: text/plain\r\n\r\nThis is an email abuse report.\r\n\r\n--p\r\n\
         Content-Type: message/feedback-report\r\n\r\nFeedback-Type: {kind}\r\nUser-Agent: SomeGenerator/1.0\r\n\
         Version: 1\r\n{fields}\r\n--p\r\nContent-Type: message/rfc822\r\n\r\nSubject: offer\r\n\r\nAn offer.\r\n--p--\r\n"
    )
}
