//! `/v0/lists/{direction}/{type}` at its three levels, and `/v0/suppressions`.

mod entries;
mod read_only;
mod receive;
mod reply;
mod scope;
mod send;

use inboxd_testkit::{Persona, encoded};
use serde_json::{Value, json};

/// Puts somebody on a list of the organization, or below `/v0{whose}`.
async fn put(agent: &Persona, whose: &str, list: &str, entry: &str) -> Value {
    agent.post(&format!("/v0{whose}/lists/{list}"), json!({"entry": entry})).await.ok()
}

/// Takes somebody from a list.
async fn take(agent: &Persona, whose: &str, list: &str, entry: &str) {
    agent.delete(&format!("/v0{whose}/lists/{list}/{}", encoded(entry))).await.gone();
}

/// The levels that reach the first inbox of an agent, as paths.
async fn levels(agent: &Persona) -> [String; 3] {
    let inbox = agent.get(&agent.inbox("")).await.ok();
    [String::new(), format!("/pods/{}", inbox["pod_id"].as_str().unwrap()), format!("/inboxes/{}", agent.inbox_id)]
}

/// The events of a kind, newest first.
async fn events(agent: &Persona, event_type: &str) -> Vec<Value> {
    let list = agent.get(&format!("/v0/events?event_types={event_type}&limit=200")).await.ok();
    list["events"].as_array().unwrap().clone()
}
