//! Reports that come back to the return paths of mail: what becomes of them, and of what is none.

mod complaints;
mod domains;
mod failures;
mod forged;
mod gone;
mod mixed;
mod none;

use inboxd_testkit::{Persona, Relay, RelayedMail, Server};
use serde_json::{Value, json};

use crate::sending::relayed;

/// A mail that has left, and everybody who had to do with it.
struct Sent {
    relay: Relay,
    server: Server,
    agent: Persona,
    /// What the API answered.
    answer: Value,
    /// What the relay got.
    mail: RelayedMail,
}

impl Sent {
    /// Hands a report in at its return path, as the null sender.
    async fn report(&self, raw: &str) {
        self.server.deliver("", &[&self.mail.from], raw.as_bytes().to_vec()).await.is(250, "2");
    }

    /// The events of a kind that tell of the mail, newest first.
    async fn events(&self, event_type: &str) -> Vec<Value> {
        let list = self.agent.get(&format!("/v0/events?event_types={event_type}")).await.ok();
        let all = list["events"].as_array().unwrap();
        all.iter().filter(|event| event["message_id"] == self.answer["message_id"]).cloned().collect()
    }

    /// The labels of the sent message.
    async fn labels(&self) -> Value {
        self.agent.get(&self.agent.message(&self.answer["message_id"], "")).await.ok()["labels"].clone()
    }

    /// The addresses that are suppressed, and why.
    async fn suppressed(&self) -> Vec<(String, String)> {
        let list = self.agent.get("/v0/suppressions").await.ok();
        let field = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
        let all = list["suppressions"].as_array().unwrap();
        let mut all: Vec<_> = all.iter().map(|entry| (field(entry, "address"), field(entry, "reason"))).collect();
        all.sort();
        all
    }

    /// Checks that nothing but the mail itself is there: a report is no message and begins no thread.
    async fn no_message_came_of_it(&self) {
        assert_eq!(self.agent.messages().await.len(), 1);
        assert_eq!(self.agent.get(&self.agent.inbox("/threads")).await.ok()["count"], 1);
        assert_eq!(self.events("message.received").await, Vec::<Value>::new());
    }
}

/// A mail to these that the relay has taken for delivery.
async fn sent_to(recipients: &[&str]) -> Sent {
    let (relay, server, agent) = relayed().await;
    let sent = agent.send(json!({"to": recipients, "subject": "offer", "text": "An offer."})).await;
    let mail = relay.mail_about("offer").await;
    crate::sending::event(&agent, "message.delivered", &sent["message_id"]).await;
    Sent { relay, server, agent, answer: sent, mail }
}

/// A report of a delivery in the shape of RFC 3464: the groups of its second part are as given.
fn dsn(groups: &str) -> String {
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

/// The group of one recipient.
fn group(recipient: &str, action: &str, status: &str) -> String {
    format!("Final-Recipient: rfc822; {recipient}\r\nAction: {action}\r\nStatus: {status}\r\n")
}

/// A report of feedback in the shape of RFC 5965, with these further fields.
fn arf(kind: &str, fields: &str) -> String {
    format!(
        "From: <abusedesk@provider.example>\r\nSubject: FW: offer\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=feedback-report; boundary=\"p\"\r\n\r\n--p\r\n\
         Content-Type: text/plain\r\n\r\nThis is an email abuse report.\r\n\r\n--p\r\n\
         Content-Type: message/feedback-report\r\n\r\nFeedback-Type: {kind}\r\nUser-Agent: SomeGenerator/1.0\r\n\
         Version: 1\r\n{fields}\r\n--p\r\nContent-Type: message/rfc822\r\n\r\nSubject: offer\r\n\r\nAn offer.\r\n--p--\r\n"
    )
}
