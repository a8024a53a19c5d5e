//! Spam detection by built-in checks and by rspamd.

mod built_in;
mod rspamd;

use inboxd_testkit::{MailBuilder, Persona, TestServer};
use serde_json::Value;

pub(crate) const GTUBE: &str = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";

/// Delivers a mail and returns the complete message.
async fn deliver_message(server: &TestServer, agent: &Persona, subject: &str, text: &str) -> Value {
    let mail = MailBuilder::new("anna@example.org", &agent.inbox_id, subject, text).header("X-Spam", "No");
    server.deliver("anna@example.org", &[&agent.inbox_id], mail.raw()).await.require_code(250, "2.0.0");
    let list = agent.get(&agent.inbox("/messages?include_spam=true&include_blocked=true&limit=200")).await.ok();
    let found = list["messages"].as_array().unwrap().iter().find(|message| message["subject"] == subject).unwrap();
    agent.get(&agent.message(&found["message_id"], "")).await.ok()
}

/// Returns the types of the events about a message.
async fn event_types(agent: &Persona, message: &Value) -> Vec<Value> {
    let types = "message.received,message.received.spam,message.received.blocked,message.received.unauthenticated";
    let list = agent.get(&format!("/v0/events?event_types={types}&limit=100")).await.ok();
    let about = list["events"].as_array().unwrap().iter().filter(|event| event["message_id"] == message["message_id"]);
    about.map(|event| event["event_type"].clone()).collect()
}
