//! Every route that changes an audited resource writes one entry.

use inboxd_testkit::{ApiResponse, Persona, TestServer, encoded};
use serde_json::{Value, json};

use super::entries;
use crate::guard::document::{Operation, operations};
use crate::oauth::insert_connection;
use crate::support::server_and_agent;

/// Segments of paths of audited resources.
const RESOURCES: [&str; 7] = ["api-keys", "connections", "contacts", "domains", "lists", "members", "webhooks"];

/// An agent, and names that no two resources share.
struct Actions<'a> {
    server: &'a TestServer,
    agent: &'a Persona,
    pod_id: String,
    number: usize,
}

impl Actions<'_> {
    /// Returns a path of the document in the scope of the agent, without the part behind the resource.
    fn collection(&self, operation: &Operation, resource: &str) -> String {
        let values = [("inbox_id", self.agent.inbox_id.as_str()), ("pod_id", &self.pod_id)];
        let path = operation.target(&values);
        let (scope, rest) = path.split_once(&format!("/{resource}")).unwrap();
        let polled = if rest.starts_with("/polling") { "/polling" } else { "" };
        format!("{scope}/{resource}{polled}")
    }

    /// Creates a resource of a collection.
    async fn create(&mut self, collection: &str, resource: &str) -> ApiResponse {
        self.number += 1;
        let name = format!("audited-{}", self.number);
        let body = match resource {
            "api-keys" => json!({"name": name}),
            "domains" => json!({"domain": format!("{name}.example")}),
            "lists" => json!({"entry": format!("{name}.example"), "reason": "spam"}),
            "members" => json!({"email": format!("{name}@example.org"), "role": "member", "inbox_ids": []}),
            _ if collection.ends_with("/polling") => json!({"client_id": name, "event_types": ["message.received"]}),
            _ => json!({"url": format!("https://hooks.example.invalid/{name}"), "event_types": ["message.received"]}),
        };
        let path = if resource == "lists" { format!("{collection}/send/block") } else { collection.to_owned() };
        self.agent.post(&path, body).await
    }

    /// Returns the path of a new resource.
    async fn item(&mut self, collection: &str, resource: &str) -> String {
        if resource == "connections" {
            return format!("{collection}/{}", insert_connection(self.server, &self.agent.organization_id).await);
        }
        if resource == "contacts" {
            self.number += 1;
            let address = format!("audited-{}@example.org", self.number);
            let path = self.agent.inbox("/messages/send");
            self.agent.post(&path, json!({"to": [address], "text": "Hello."})).await.ok();
            return format!("{collection}/{address}");
        }
        let made = self.create(collection, resource).await.ok();
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        match resource {
            "api-keys" => format!("{collection}/{}", text("api_key_id")),
            "domains" => format!("{collection}/{}", text("domain_id")),
            "lists" => format!("{collection}/send/block/{}", encoded(&text("entry"))),
            "members" => format!("{collection}/{}", text("member_id")),
            _ => format!("{collection}/{}", text("webhook_id")),
        }
    }

    /// Returns the body of a change.
    fn change(&self, resource: &str) -> Value {
        match resource {
            "api-keys" | "members" => json!({"name": "changed"}),
            "connections" => json!({"inbox_ids": [self.agent.inbox_id]}),
            "contacts" => json!({"decision": "blocked"}),
            "domains" => json!({"feedback_enabled": false}),
            _ => json!({"enabled": false}),
        }
    }

    /// Performs an operation successfully, and returns the number of entries that it wrote.
    async fn entries_of(&mut self, operation: &Operation, resource: &str) -> usize {
        let collection = self.collection(operation, resource);
        let ends = [resource, "/{type}", "/polling"];
        let is_collection = ends.iter().any(|end| operation.path.ends_with(end));
        let creates = operation.method == "POST" && is_collection;
        if creates {
            let before = entries(self.agent, "").await.len();
            self.create(&collection, resource).await.ok();
            return entries(self.agent, "").await.len() - before;
        }
        let item = self.item(&collection, resource).await;
        let before = entries(self.agent, "").await.len();
        let (_, act) = operation.path.rsplit_once('/').unwrap();
        let answer = match (operation.method.as_str(), act) {
            ("DELETE", _) => self.agent.delete(&item).await,
            ("PATCH", "headers") => {
                self.agent.patch(&format!("{item}/headers"), json!({"headers": {"X-Ours": "secret"}})).await
            }
            ("PATCH", _) => self.agent.patch(&item, self.change(resource)).await,
            (_, "replay") => {
                let now = entries(self.agent, "").await[0]["created_at"].clone();
                self.agent.post(&format!("{item}/replay"), json!({"since": now})).await
            }
            (_, act) => self.agent.post(&format!("{item}/{act}"), json!({})).await,
        };
        assert!(answer.status < 300, "{} {}: {}", operation.method, operation.path, answer.text());
        entries(self.agent, "").await.len() - before
    }
}

#[tokio::test]
async fn every_changing_route_of_audited_resources_writes_one_entry() {
    let (server, agent) = server_and_agent().await;
    let plan = server.command(&["admin", "plan", &agent.organization_id, "enterprise"]).await;
    assert!(plan.status.success(), "{plan:?}");
    let pod_id = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let mut actions = Actions { server: &server, agent: &agent, pod_id, number: 0 };
    let mut tried = 0;
    // Only a person changes a policy: `tests/policies/api.rs`.
    let is_tried = |operation: &Operation| operation.method != "GET" && !operation.path.ends_with("/policy");
    for operation in operations(&server).await.into_iter().filter(is_tried) {
        let segments: Vec<&str> = operation.path.split('/').collect();
        let Some(resource) = RESOURCES.into_iter().find(|resource| segments.contains(resource)) else { continue };
        let written = actions.entries_of(&operation, resource).await;
        // A check of DNS records is a change if it changes the status.
        let is_check = operation.path.ends_with("/verify") && written == 0;
        assert!(written == 1 || is_check, "{} {}: {written}", operation.method, operation.path);
        tried += 1;
    }
    assert!(tried >= 45, "only {tried} operations were tried");
    let secrets = entries(&agent, "").await;
    let text = serde_json::to_string(&secrets).unwrap();
    assert!(!text.contains("whsec_") && !text.contains("am_\"") && !text.contains("\"secret\""), "{text}");
}
