//! Policies of sending, and the approval of held messages.

mod api;
mod approval;
mod ways;

use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest, Persona, TestServer};
use serde_json::{Value, json};

use crate::people::sign_in_client;

/// Stores a policy.
async fn put(caller: &HttpClient, target: &str, policy: &Value) -> ApiResponse {
    caller.call(HttpRequest::new("PUT", target).json(policy)).await
}

/// Returns a policy that does the same with every recipient of everyone.
fn for_everyone(action: &str) -> Value {
    json!({"applies_to": "everyone", "recipients": {"known": action, "first_contact": action}})
}

/// Signs in the owner of an agent.
async fn owner(server: &TestServer) -> HttpClient {
    sign_in_client(server, "owner@example.org").await
}

/// Returns the path of a draft of the first inbox of an agent.
fn draft_path(agent: &Persona, draft_id: &Value, rest: &str) -> String {
    agent.inbox(&format!("/drafts/{}{rest}", draft_id.as_str().unwrap()))
}

/// Sends a message that the policy of the organization holds, and returns the response.
async fn held(agent: &Persona, to: &str, text: &str) -> Value {
    let body = json!({"to": to, "subject": "Held", "text": text});
    let response = agent.post(&agent.inbox("/messages/send"), body).await;
    assert_eq!(response.status, 202, "{}", response.text());
    response.json()
}

/// Stores a policy that holds first contacts of agents.
async fn hold_first_contacts(owner: &HttpClient) {
    put(owner, "/v0/policy", &json!({"recipients": {"first_contact": "hold"}})).await.ok();
}
