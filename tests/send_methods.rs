//! Send methods: send, reply, reply-all, forward and draft-send.

use inboxd_testkit::{ApiResponse, HttpClient, MailBuilder, Persona, TestServer};
use serde_json::{Value, json};

use crate::support::receive;

/// A call that sends a message.
#[derive(Debug, Clone)]
pub(crate) struct SendMethod {
    /// Name in the specification.
    pub(crate) name: &'static str,
    target: String,
    body: Value,
}

impl SendMethod {
    /// Sends the message.
    pub(crate) async fn send(&self, caller: &HttpClient) -> ApiResponse {
        caller.post(&self.target, self.body.clone()).await
    }

    /// Asks for the result of the send.
    pub(crate) async fn dry_run(&self, caller: &HttpClient) -> ApiResponse {
        self.send_with(caller, "dry_run", json!(true)).await
    }

    /// Sends the message with another field.
    pub(crate) async fn send_with(&self, caller: &HttpClient, field: &str, value: Value) -> ApiResponse {
        let mut body = self.body.clone();
        body[field] = value;
        caller.post(&self.target, body).await
    }
}

/// Delivers a mail from an address to an agent and returns the message.
pub(crate) async fn receive_question(server: &TestServer, agent: &Persona, from: &str) -> Value {
    let subject = format!("Question of {from}");
    receive(server, agent, &MailBuilder::new(from, &agent.inbox_id, &subject, "Shall we?")).await;
    agent.message_about(&subject).await
}

/// Returns all methods to send to the author of a message.
pub(crate) async fn every_send_method(agent: &Persona, message: &Value) -> [SendMethod; 5] {
    let to = &message["from"];
    let draft = agent.post(&agent.inbox("/drafts"), json!({"to": to, "text": "drafted"})).await.ok();
    let id = &message["message_id"];
    let letter = json!({"to": to, "text": "hello"});
    let answer = json!({"text": "hello"});
    [
        SendMethod { name: "send", target: agent.inbox("/messages/send"), body: letter.clone() },
        SendMethod { name: "reply", target: agent.message(id, "/reply"), body: answer.clone() },
        SendMethod { name: "reply-all", target: agent.message(id, "/reply-all"), body: answer },
        SendMethod { name: "forward", target: agent.message(id, "/forward"), body: letter },
        SendMethod {
            name: "draft-send",
            target: agent.inbox(&format!("/drafts/{}/send", draft["draft_id"].as_str().unwrap())),
            body: json!({}),
        },
    ]
}
