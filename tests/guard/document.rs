//! The operations that the document names.

use inboxd_testkit::Server;
use serde_json::Value;

/// An operation of the API.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    /// `GET`, `POST`, …
    pub(super) method: String,
    /// The path with its parameters in braces.
    pub(super) path: String,
    /// The schema of its body, if it takes one.
    pub(super) has_body: bool,
}

impl Operation {
    /// Whether it answers without a key: what service.md and wire.md say, and nothing else.
    pub(super) fn is_open(&self) -> bool {
        let open = [
            "/v0/agent/sign-up",
            "/v0/agent/sign-in",
            "/v0/agent/sign-in/verify",
            "/health",
            "/ready",
            "/openapi.json",
        ];
        open.contains(&self.path.as_str())
            || self.path.starts_with("/docs")
            || self.path.starts_with("/v0/downloads/")
            || self.path.starts_with("/downloads/")
    }

    /// The path with values for its parameters; `None` when there is no value for one.
    pub(super) fn target(&self, values: &[(&str, String)]) -> String {
        let mut target = self.path.clone();
        for (name, value) in values {
            target = target.replace(&format!("{{{name}}}"), value);
        }
        assert!(!target.contains('{'), "the tests have no value for a parameter of {}", self.path);
        target
    }
}

/// Every operation of the document.
pub(super) async fn operations(server: &Server) -> Vec<Operation> {
    let document = server.http().get("/openapi.json").await.ok();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if ["get", "post", "patch", "put", "delete"].contains(&method.as_str()) {
                operations.push(Operation {
                    method: method.to_uppercase(),
                    path: path.clone(),
                    has_body: operation.get("requestBody").is_some_and(|body| *body != Value::Null),
                });
            }
        }
    }
    assert!(operations.len() > 30, "the document names {} operations only", operations.len());
    operations
}
