//! Requests of MCP clients.

use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest};
use serde_json::{Value, json};

/// Revision without sessions.
pub(crate) const STATELESS: &str = "2026-07-28";
/// Revisions that begin with `initialize`.
pub(crate) const LEGACY: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];
/// Media types that a client accepts.
pub(crate) const ACCEPT: &str = "application/json, text/event-stream";

/// Creates a JSON-RPC request.
#[expect(clippy::needless_pass_by_value, reason = "callers make the value in place")]
pub(crate) fn message(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

/// Creates an HTTP request of a message, without headers of the protocol.
pub(crate) fn post(message: &Value) -> HttpRequest {
    HttpRequest::new("POST", "/mcp").header("Accept", ACCEPT).json(message)
}

/// Creates a request of a revision before 2026-07-28.
pub(crate) fn legacy(method: &str, params: Value) -> HttpRequest {
    post(&message(method, params)).header("MCP-Protocol-Version", "2025-11-25")
}

/// Creates the message of a request of 2026-07-28.
pub(crate) fn stateless_message(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    message(method, params)
}

/// Creates a request of 2026-07-28 with its headers.
pub(crate) fn stateless(method: &str, params: Value) -> HttpRequest {
    let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
    let request =
        post(&stateless_message(method, params)).header("MCP-Protocol-Version", STATELESS).header("Mcp-Method", method);
    name.into_iter().fold(request, |request, name| request.header("Mcp-Name", &name))
}

/// Sends a request and returns the result.
pub(crate) async fn result(http: &HttpClient, request: HttpRequest) -> Value {
    let response = http.call(request).await;
    assert_eq!(response.status, 200, "{}", response.text());
    let body = response.json();
    assert!(body["result"].is_object(), "{body:#}");
    body["result"].clone()
}

/// Requires a JSON-RPC error with this status and code, and returns it.
pub(crate) fn require_rpc_error(response: &ApiResponse, status: u16, code: i64) -> Value {
    assert_eq!(response.status, status, "{}", response.text());
    let error = response.json()["error"].clone();
    assert_eq!(error["code"], code, "{error:#}");
    error
}
