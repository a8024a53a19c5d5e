//! A caller of tools.

use std::collections::BTreeSet;

use inboxd_testkit::{HttpClient, HttpRequest};
use serde_json::{Value, json};

/// Revision of the requests.
const REVISION: &str = "2025-11-25";

/// Client of the tools with a key.
#[derive(Debug, Clone)]
pub(crate) struct ToolClient(HttpClient);

impl ToolClient {
    pub(crate) fn new(http: &HttpClient) -> Self {
        Self(http.clone())
    }

    /// Sends a JSON-RPC request and returns the response.
    pub(crate) async fn rpc(&self, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request = HttpRequest::new("POST", "/mcp")
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", REVISION)
            .json(&body);
        let response = self.0.call(request).await;
        assert_eq!(response.status, 200, "{method}: {}", response.text());
        response.json()
    }

    /// Returns the offered tools.
    pub(crate) async fn list(&self) -> Vec<Value> {
        self.rpc("tools/list", json!({})).await["result"]["tools"].as_array().unwrap().clone()
    }

    /// Returns the names of the offered tools.
    pub(crate) async fn names(&self) -> BTreeSet<String> {
        self.list().await.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Calls a tool and returns its whole result.
    pub(crate) async fn try_call(&self, tool: &str, arguments: Value) -> Value {
        let response = self.rpc("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert!(response["result"].is_object(), "{tool}: {response:#}");
        response["result"].clone()
    }

    /// Calls a tool and returns its structured content.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let result = self.try_call(tool, arguments.clone()).await;
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result:#}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.chars().count() <= 30_000, "{tool} {arguments}: {} characters", text.chars().count());
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"], "{tool}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that refuses and returns the envelope.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> Value {
        let result = self.try_call(tool, arguments.clone()).await;
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result:#}");
        assert!(result.get("structuredContent").is_none(), "{tool}: {result:#}");
        let envelope: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert!(envelope["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{tool}: {envelope:#}");
        envelope
    }

    /// Returns a text field of all items of a list.
    pub(crate) async fn texts(&self, tool: &str, arguments: Value, list: &str, field: &str) -> Vec<String> {
        let result = self.call(tool, arguments).await;
        crate::support::text_fields(&result, list, field).into_iter().map(str::to_owned).collect()
    }
}

/// Returns the paths of the bad arguments of a refusal.
pub(crate) fn bad_arguments(envelope: &Value) -> Vec<String> {
    let errors = envelope["errors"].as_array().unwrap_or_else(|| panic!("{envelope:#}"));
    errors.iter().map(|error| error["path"].as_str().unwrap().to_owned()).collect()
}
