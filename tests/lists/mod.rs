//! `/v0/lists/{direction}/{type}` at its three levels, and `/v0/suppressions`.

mod authenticated;
mod entries;
mod read_only;
mod receive;
mod reply;
mod scope;
mod send;

use inboxd_testkit::{Persona, encoded};
use serde_json::{Value, json};

/// Adds an entry to a list of the organization, or of the level below `/v0{whose}`.
async fn add_entry(agent: &Persona, whose: &str, list: &str, entry: &str) -> Value {
    agent.post(&format!("/v0{whose}/lists/{list}"), json!({"entry": entry})).await.ok()
}

/// Deletes an entry from a list.
async fn delete_entry(agent: &Persona, whose: &str, list: &str, entry: &str) {
    agent.delete(&format!("/v0{whose}/lists/{list}/{}", encoded(entry))).await.require_no_content();
}

/// Paths of the levels that cover the first inbox of an agent.
async fn level_paths(agent: &Persona) -> [String; 3] {
    let inbox = agent.get(&agent.inbox("")).await.ok();
    [String::new(), format!("/pods/{}", inbox["pod_id"].as_str().unwrap()), format!("/inboxes/{}", agent.inbox_id)]
}

/// Returns the events of a type, newest first.
async fn events_of_type(agent: &Persona, event_type: &str) -> Vec<Value> {
    let list = agent.get(&format!("/v0/events?event_types={event_type}&limit=200")).await.ok();
    list["events"].as_array().unwrap().clone()
}
