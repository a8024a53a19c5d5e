//! `GET /v0/audit`: audited changes, in the unit of work of the change.

mod cascades;
mod entries;
mod list;
mod routes;

use inboxd_testkit::HttpClient;
use serde_json::Value;

/// Returns the entries that a query finds, newest first.
async fn entries(agent: &HttpClient, query: &str) -> Vec<Value> {
    let page = agent.get(&format!("/v0/audit?limit=200&{query}")).await.ok();
    page["entries"].as_array().unwrap().clone()
}

/// Returns a field of entries.
fn fields<'a>(entries: &'a [Value], name: &str) -> Vec<&'a str> {
    entries.iter().map(|entry| entry[name].as_str().unwrap()).collect()
}
