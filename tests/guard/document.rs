//! Operations of the OpenAPI document, and valid requests for each.

use inboxd_testkit::{HttpRequest, TestServer};
use serde_json::{Value, json};

/// Well-formed values of all path parameters; the ids exist nowhere.
const NOTHING: [(&str, &str); 23] = [
    ("inbox_id", "nobody@inboxd.localhost"),
    ("message_id", "nobody@nowhere.example"),
    ("thread_id", "thr_00000000000000000000000000000000"),
    ("event_id", "cev_00000000000000000000000000000000"),
    ("draft_id", "drf_00000000000000000000000000000000"),
    ("attachment_id", "att_00000000000000000000000000000000"),
    ("note_id", "note_00000000000000000000000000000000"),
    ("file_id", "fil_00000000000000000000000000000000"),
    ("pod_id", "pod_00000000000000000000000000000000"),
    ("domain_id", "dom_00000000000000000000000000000000"),
    ("member_id", "mem_00000000000000000000000000000000"),
    ("api_key_id", "key_00000000000000000000000000000000"),
    ("webhook_id", "whk_00000000000000000000000000000000"),
    ("connection_id", "con_00000000000000000000000000000000"),
    ("account_id", "d5e9c84f-c2b2-4bf4-b4b0-7ffd7a9ffc32"),
    ("app_id", "d5e9c84f-c2b2-4bf4-b4b0-7ffd7a9ffc32"),
    ("provider_id", "d5e9c84f-c2b2-4bf4-b4b0-7ffd7a9ffc32"),
    ("organization_id", "org_00000000000000000000000000000000"),
    ("token", "nothing"),
    ("direction", "send"),
    ("type", "block"),
    ("entry", "nobody@nowhere.example"),
    ("address", "nobody@nowhere.example"),
];

/// An operation of the API.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    /// Method, for example `GET`.
    pub(crate) method: String,
    /// Path with parameters in braces.
    pub(crate) path: String,
    /// Permissions that the description names; the first one is always needed.
    pub(crate) permissions: Vec<String>,
    /// Query parameters.
    pub(crate) query: Vec<String>,
    /// Whether the operation has a body.
    has_body: bool,
}

impl Operation {
    /// Returns whether the operation works without a key, as service.md and wire.md specify.
    pub(crate) fn is_open(&self) -> bool {
        let open = [
            "/v0/agent/sign-up",
            "/v0/agent/sign-in",
            "/v0/agent/sign-in/verify",
            "/v0/billing/webhook",
            "/health",
            "/ready",
            "/openapi.json",
        ];
        open.contains(&self.path.as_str())
            || self.path.starts_with("/docs")
            || self.path.starts_with("/v0/downloads/")
            || self.path.starts_with("/v0/uploads/")
            || self.path.starts_with("/downloads/")
            // It takes the token of the subscription.
            || self.path.ends_with("/polling/{webhook_id}/events")
            || self.path.starts_with("/v0/calendar-feeds/")
    }

    /// Returns whether the path has a parameter.
    pub(crate) fn names(&self, parameter: &str) -> bool {
        self.path.contains(&format!("{{{parameter}}}"))
    }

    /// Returns the path parameters that name resources. A list is named by direction and type and exists in every
    /// organization.
    pub(crate) fn things(&self) -> Vec<&str> {
        let parameters = self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        parameters.filter(|name| !["direction", "type"].contains(name)).collect()
    }

    /// Returns the path with these parameter values, and nonexistent ids for the rest.
    pub(crate) fn target(&self, values: &[(&str, &str)]) -> String {
        target(&self.path, values)
    }

    /// Creates a request that is valid except for the resources it names.
    pub(crate) fn request(&self, values: &[(&str, &str)]) -> HttpRequest {
        let mut target = self.target(values);
        if target.ends_with("/search") {
            target.push_str("?q=a");
        }
        if target.ends_with("/messages/wait") {
            // No event will arrive, so the wait is short.
            target.push_str("?timeout=0");
        }
        let request = HttpRequest::new(&self.method, &target);
        let mut body = body();
        if target.ends_with("/webhooks/polling") {
            // The name is unique in the organization.
            body["client_id"] = json!(format!("guard-{}", target.len()));
            body["event_types"] = json!(["domain.verified"]);
        } else if target.ends_with("/respond") {
            body["status"] = json!("accepted");
        }
        if target.ends_with("/reply-all") {
            // The recipient follows from the message.
            body["to"] = Value::Null;
        }
        if self.has_body { request.json(&body) } else { request }
    }
}

/// Returns a path with these parameter values, and nonexistent ids for the rest.
pub(crate) fn target(path: &str, values: &[(&str, &str)]) -> String {
    let mut target = path.to_owned();
    for (name, value) in values.iter().chain(&NOTHING) {
        target = target.replace(&format!("{{{name}}}"), value);
    }
    assert!(!target.contains('{'), "no test value for a parameter of {path}");
    target
}

/// Creates a body that is valid for every operation with a body.
fn body() -> Value {
    json!({
        "to": ["bob@outside.example"], "subject": "hello", "text": "hello", "name": "name", "add_labels": ["x"],
        "message_ids": ["nobody@nowhere.example"], "display_name": "Name", "otp_code": "000000",
        "entry": "nobody@nowhere.example", "decision": "trusted", "domain": "nowhere.example", "email": "nobody@nowhere.example",
        "role": "member", "organization_id": "org_00000000000000000000000000000000", "plan": "startup", "enabled": true,
        "url": "https://hooks.example.invalid/inboxd", "headers": {"X-Ours": "yes"},
        "event_id": "evt_00000000000000000000000000000000", "reason": "none", "feedback": "correct_review",
        "quarantine": "off", "message_id": "nobody@nowhere.example", "auth_token": "nothing",
        "path": "guard", "size": 1, "sha256": "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=",
        "human_email": "nobody@nowhere.example", "response": "accept",
        "title": "hello", "start": "2026-10-15T14:00:00", "end": "2026-10-15T14:30:00", "timezone": "UTC",
    })
}

/// Returns all operations of the document.
pub(crate) async fn operations(server: &TestServer) -> Vec<Operation> {
    let document = server.http().get("/openapi.json").await.ok();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if ["get", "post", "patch", "put", "delete"].contains(&method.as_str()) {
                let description = operation["description"].as_str().unwrap_or_default();
                let needs = description.split_once("Requires ").map_or("", |(_, rest)| rest);
                let permissions = needs.split('`').skip(1).step_by(2);
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                let query = parameters.filter(|parameter| parameter["in"] == "query");
                operations.push(Operation {
                    method: method.to_uppercase(),
                    path: path.clone(),
                    permissions: permissions.map(str::to_owned).collect(),
                    query: query.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect(),
                    has_body: operation.get("requestBody").is_some_and(|body| *body != Value::Null),
                });
            }
        }
    }
    assert!(operations.len() > 30, "the document has only {} operations", operations.len());
    operations
}
