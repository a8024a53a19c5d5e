//! Every way to send a mail: send, reply, reply-all, forward and draft-send.

use inboxd_testkit::{Answer, Http, Mail, Persona, Server};
use serde_json::{Value, json};

use crate::support::receive;

/// A call that sends a mail.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    /// What the specification calls it.
    pub(crate) name: &'static str,
    target: String,
    body: Value,
}

impl Way {
    /// Sends the mail.
    pub(crate) async fn go(&self, caller: &Http) -> Answer {
        caller.post(&self.target, self.body.clone()).await
    }
}

/// A mail from somebody that an agent has received.
pub(crate) async fn question(server: &Server, agent: &Persona, from: &str) -> Value {
    let subject = format!("Question of {from}");
    receive(server, agent, &Mail::new(from, &agent.inbox_id, &subject, "Shall we?")).await;
    agent.message_about(&subject).await
}

/// Every way to write to whoever sent a message.
pub(crate) async fn every_way(agent: &Persona, message: &Value) -> [Way; 5] {
    let to = &message["from"];
    let draft = agent.post(&agent.inbox("/drafts"), json!({"to": to, "text": "drafted"})).await.ok();
    let id = &message["message_id"];
    let letter = json!({"to": to, "text": "hello"});
    let answer = json!({"text": "hello"});
    [
        Way { name: "send", target: agent.inbox("/messages/send"), body: letter.clone() },
        Way { name: "reply", target: agent.message(id, "/reply"), body: answer.clone() },
        Way { name: "reply-all", target: agent.message(id, "/reply-all"), body: answer },
        Way { name: "forward", target: agent.message(id, "/forward"), body: letter },
        Way {
            name: "draft-send",
            target: agent.inbox(&format!("/drafts/{}/send", draft["draft_id"].as_str().unwrap())),
            body: json!({}),
        },
    ]
}
