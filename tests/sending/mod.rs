//! Sending, replying and forwarding: what the API answers, and what a real SMTP server gets.

mod attachments;
mod bounces;
mod forward;
mod keys;
mod local;
mod recipients;
mod repeats;
mod reply;
mod retries;
mod send;
mod unusable;

use inboxd_testkit::{Persona, Relay, Server, ServerOptions};

use crate::support::options;

/// A server that hands its mail to a relay, and a verified agent.
pub(crate) async fn relayed() -> (Relay, Server, Persona) {
    relayed_by(options()).await
}

/// The same, with a server that is started like this.
pub(crate) async fn relayed_by(options: ServerOptions) -> (Relay, Server, Persona) {
    let relay = Relay::start().await;
    let server = options.relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    (relay, server, agent)
}

/// Waits for an event about a message.
pub(crate) async fn event(agent: &Persona, event_type: &str, message_id: &serde_json::Value) -> serde_json::Value {
    inboxd_testkit::eventually(&format!("{event_type} of {message_id}"), async || {
        let list = agent.get(&format!("/v0/events?event_types={event_type}&limit=200")).await.ok();
        list["events"].as_array().unwrap().iter().find(|event| event["message_id"] == *message_id).cloned()
    })
    .await
}
