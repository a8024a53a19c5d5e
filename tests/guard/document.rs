//! The operations that the document names, and requests that fit any of them.

use inboxd_testkit::{Request, Server};
use serde_json::{Value, json};

/// Well-formed values for every parameter of a path. The ids name nothing.
const NOTHING: [(&str, &str); 15] = [
    ("inbox_id", "nobody@inboxd.localhost"),
    ("message_id", "nobody@nowhere.example"),
    ("thread_id", "thr_00000000000000000000000000000000"),
    ("draft_id", "drf_00000000000000000000000000000000"),
    ("attachment_id", "att_00000000000000000000000000000000"),
    ("note_id", "note_00000000000000000000000000000000"),
    ("pod_id", "pod_00000000000000000000000000000000"),
    ("domain_id", "dom_00000000000000000000000000000000"),
    ("member_id", "mem_00000000000000000000000000000000"),
    ("api_key_id", "key_00000000000000000000000000000000"),
    ("webhook_id", "whk_00000000000000000000000000000000"),
    ("token", "nothing"),
    ("direction", "send"),
    ("type", "block"),
    ("entry", "nobody@nowhere.example"),
];

/// An operation of the API.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    /// `GET`, `POST`, …
    pub(crate) method: String,
    /// The path with its parameters in braces.
    pub(crate) path: String,
    /// The permissions that its description names; the first is needed whatever is asked for.
    pub(crate) permissions: Vec<String>,
    /// The parameters of its query.
    pub(crate) query: Vec<String>,
    /// Whether it takes a body.
    has_body: bool,
}

impl Operation {
    /// Whether it answers without a key: what service.md and wire.md say, and nothing else.
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
            || self.path.starts_with("/downloads/")
    }

    /// Whether its path has a parameter.
    pub(crate) fn names(&self, parameter: &str) -> bool {
        self.path.contains(&format!("{{{parameter}}}"))
    }

    /// The parameters of its path that name things. A list of a direction and a type is everybody's own.
    pub(crate) fn things(&self) -> Vec<&str> {
        let parameters = self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        parameters.filter(|name| !["direction", "type"].contains(name)).collect()
    }

    /// The path with these values for its parameters, and others for the rest that name nothing.
    pub(crate) fn target(&self, values: &[(&str, &str)]) -> String {
        target(&self.path, values)
    }

    /// A request that nothing is wrong with but perhaps what it asks for.
    pub(crate) fn request(&self, values: &[(&str, &str)]) -> Request {
        let mut target = self.target(values);
        if target.ends_with("/search") {
            target.push_str("?q=a");
        }
        if target.ends_with("/messages/wait") {
            // Nothing is going to come.
            target.push_str("?timeout=0");
        }
        let request = Request::new(&self.method, &target);
        let mut body = body();
        if target.ends_with("/reply-all") {
            // The message says whom the answer goes to.
            body["to"] = Value::Null;
        }
        if self.has_body { request.json(&body) } else { request }
    }
}

/// A path with these values for its parameters, and others for the rest that name nothing.
pub(crate) fn target(path: &str, values: &[(&str, &str)]) -> String {
    let mut target = path.to_owned();
    for (name, value) in values.iter().chain(&NOTHING) {
        target = target.replace(&format!("{{{name}}}"), value);
    }
    assert!(!target.contains('{'), "the tests have no value for a parameter of {path}");
    target
}

/// A body that is good for any operation that takes one.
fn body() -> Value {
    json!({
        "to": ["bob@outside.example"], "subject": "hello", "text": "hello", "name": "name", "add_labels": ["x"],
        "message_ids": ["nobody@nowhere.example"], "display_name": "Name", "otp_code": "000000",
        "entry": "nobody@nowhere.example", "domain": "nowhere.example", "email": "nobody@nowhere.example",
        "role": "member", "organization_id": "org_00000000000000000000000000000000", "plan": "startup",
        "url": "https://hooks.example.invalid/inboxd", "headers": {"X-Ours": "yes"},
        "event_id": "evt_00000000000000000000000000000000",
    })
}

/// Every operation of the document.
pub(crate) async fn operations(server: &Server) -> Vec<Operation> {
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
    assert!(operations.len() > 30, "the document names {} operations only", operations.len());
    operations
}
