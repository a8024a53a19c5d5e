//! Send, reply and forward: responses of the API and mail at a real SMTP server.

mod attachments;
mod bounces;
mod brake;
mod cancel;
mod dry_run;
mod forward;
mod idempotency;
mod invalid;
mod local;
mod recipients;
mod repeated_sends;
mod reply;
mod retries;
mod rsvp;
mod send;
mod stored_files;

use inboxd_testkit::{Persona, RelayServer, ServerOptions, TestServer};

use crate::support::options;

/// A server with delivery through a relay, and a verified agent.
pub(crate) async fn server_with_relay() -> (RelayServer, TestServer, Persona) {
    server_with_relay_and_options(options()).await
}

/// The same with these server options.
pub(crate) async fn server_with_relay_and_options(options: ServerOptions) -> (RelayServer, TestServer, Persona) {
    let relay = RelayServer::start().await;
    let server = options.relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    (relay, server, agent)
}

/// Waits for an event about a message.
pub(crate) async fn wait_for_event(
    agent: &Persona,
    event_type: &str,
    message_id: &serde_json::Value,
) -> serde_json::Value {
    inboxd_testkit::eventually(&format!("{event_type} of {message_id}"), async || {
        let list = agent.get(&format!("/v0/events?event_types={event_type}&limit=200")).await.ok();
        list["events"].as_array().unwrap().iter().find(|event| event["message_id"] == *message_id).cloned()
    })
    .await
}
