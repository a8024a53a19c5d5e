//! A JSON-RPC message of the client, with the headers that repeat parts of it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Revision from which requests carry their method and name as headers.
const STANDARD_HEADERS: &str = "2026-07-28";
/// Key of the revision in the metadata of a request.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// JSON-RPC code of a text that is no JSON.
const PARSE_ERROR: i64 = -32_700;
/// JSON-RPC code of a failure that is not the client's.
const INTERNAL_ERROR: i64 = -32_603;

/// A request or notification of the client.
#[derive(Debug)]
pub(super) struct ClientMessage {
    line: String,
    value: Value,
}

impl ClientMessage {
    /// Reads a line of input.
    ///
    /// # Errors
    /// The response to a line that is no JSON.
    pub(super) fn parse(line: String) -> Result<Self, String> {
        match serde_json::from_str(&line) {
            Ok(value) => Ok(Self { line, value }),
            Err(error) => Err(failure(&Value::Null, PARSE_ERROR, &format!("the line is no JSON: {error}"))),
        }
    }

    /// Returns the message as it came.
    pub(super) fn line(&self) -> &str {
        &self.line
    }

    fn method(&self) -> Option<&str> {
        self.value["method"].as_str()
    }

    /// Returns the id of a request as text; `None` for a notification.
    pub(super) fn id(&self) -> Option<String> {
        self.method().and(self.value.get("id")).map(Value::to_string)
    }

    /// Returns whether this begins a session.
    pub(super) fn is_initialize(&self) -> bool {
        self.method() == Some("initialize")
    }

    /// Returns the id of the request that this notification cancels.
    pub(super) fn cancelled_id(&self) -> Option<String> {
        let id = self.value["params"].get("requestId")?;
        (self.method() == Some("notifications/cancelled")).then(|| id.to_string())
    }

    /// Returns the headers that repeat parts of the message. `negotiated` is the revision of the session.
    pub(super) fn headers(&self, negotiated: Option<&str>) -> Vec<(&'static str, String)> {
        let own = self.value["params"]["_meta"][META_VERSION].as_str();
        let version = own.or(negotiated).filter(|_| !self.is_initialize());
        let mut headers: Vec<(&'static str, String)> = Vec::new();
        headers.extend(version.map(|version| ("mcp-protocol-version", version.to_owned())));
        if version.is_some_and(|version| version >= STANDARD_HEADERS) {
            headers.extend(self.method().map(|method| ("mcp-method", encoded(method))));
            let name = match self.method() {
                Some("tools/call" | "prompts/get") => self.value["params"]["name"].as_str(),
                Some("resources/read") => self.value["params"]["uri"].as_str(),
                _ => None,
            };
            headers.extend(name.map(|name| ("mcp-name", encoded(name))));
        }
        headers
    }

    /// Returns the response that reports a failure to the client; `None` for a notification, which has no response.
    pub(super) fn failed(&self, message: &str) -> Option<String> {
        let id = self.method().and(self.value.get("id"))?;
        Some(failure(id, INTERNAL_ERROR, message))
    }
}

/// Returns a JSON-RPC error as a line.
fn failure(id: &Value, code: i64, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}

/// Encodes a value that no header can hold as it is.
fn encoded(value: &str) -> String {
    let is_plain =
        value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && value.trim() == value && !value.starts_with("=?");
    if is_plain { value.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(value)) }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

    use super::*;

    fn message(value: &Value) -> ClientMessage {
        ClientMessage::parse(value.to_string()).unwrap()
    }

    #[test]
    fn headers_repeat_the_message_from_the_stateless_revision_on() {
        let meta = json!({ META_VERSION: STANDARD_HEADERS });
        for (value, negotiated, expected) in [
            (json!({"method": "initialize", "id": 1}), Some("2025-11-25"), vec![]),
            (json!({"method": "ping", "id": 1}), Some("2025-11-25"), vec![("mcp-protocol-version", "2025-11-25")]),
            (json!({"method": "ping", "id": 1}), None, vec![]),
            (
                json!({"method": "tools/call", "id": 1, "params": {"name": "get_message", "_meta": meta}}),
                None,
                vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "get_message")],
            ),
            (
                json!({"method": "resources/read", "id": 1, "params": {"uri": "ü", "_meta": meta}}),
                Some("2025-11-25"),
                vec![
                    ("mcp-protocol-version", "2026-07-28"),
                    ("mcp-method", "resources/read"),
                    ("mcp-name", "=?base64?w7w=?="),
                ],
            ),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|(name, text)| (name, text.to_owned())).collect();
            assert_eq!(message(&value).headers(negotiated), expected, "{value}");
        }
    }

    #[test]
    fn cancellations_name_a_request() {
        let cancel = message(&json!({"method": "notifications/cancelled", "params": {"requestId": 7}}));
        assert_eq!(cancel.cancelled_id(), message(&json!({"method": "ping", "id": 7})).id());
        assert_eq!(cancel.id(), None);
        assert!(cancel.failed("x").is_none());
        assert!(ClientMessage::parse("{".to_owned()).unwrap_err().contains("-32700"));
    }
}
