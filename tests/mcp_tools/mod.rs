//! Tools of the MCP server through `POST /mcp`: their parameters, results, refusals and scope.

mod attachments;
mod client;
mod connection;
mod drafts;
mod guard;
mod limits;
mod parameters;
mod reading;
mod results;
mod sending;
mod waiting;

use serde_json::Value;

pub(crate) use self::client::ToolClient;

/// Requires the facts about the sender beside a received message.
pub(crate) fn require_trust(message: &Value) {
    for result in ["spf", "dkim", "dmarc"] {
        assert!(message["authentication"][result].is_string(), "{message:#}");
    }
    assert!(message["trust"]["verdict"].is_string() && message["trust"]["reasons"].is_array(), "{message:#}");
}
