//! Policies of sending, and the approval of held messages.

mod api;
mod approval;
mod held;
mod link;
mod races;
mod shown;
mod stored_files;
mod unseen;
mod urls;
mod ways;

use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest, Persona, RelayServer, TestServer};
use serde_json::{Value, json};

use crate::people::sign_in_client;
use crate::support::options;

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
    send_held(agent, json!({"to": to, "subject": "Held", "text": text})).await
}

/// Sends a letter that the policy of the organization holds, and returns the response.
async fn send_held(agent: &Persona, body: Value) -> Value {
    let response = agent.post(&agent.inbox("/messages/send"), body).await;
    assert_eq!(response.status, 202, "{}", response.text());
    response.json()
}

/// Returns a server behind a relay, with an agent and its owner.
async fn relayed() -> (RelayServer, TestServer, Persona, HttpClient) {
    let relay = RelayServer::start().await;
    let server = options().relay(&relay).start().await;
    let (agent, person) = verified_with(&relay, &server, "owner@example.org").await;
    (relay, server, agent, person)
}

/// Signs up an agent and signs in its owner, with the codes that a relay received.
async fn verified_with(relay: &RelayServer, server: &TestServer, email: &str) -> (Persona, HttpClient) {
    let agent = server.sign_up(email, "scout").await;
    agent.verify_with(&relay.code_for(email).await).await;
    server.http().post("/v0/agent/sign-in", json!({"email": email})).await.ok();
    let code = inboxd_testkit::eventually("the sign-in code arrives", async || {
        let is_asked =
            |mail: &&inboxd_testkit::RelayedMail| mail.to == [email] && mail.text().contains("Your sign-in code is ");
        let text = relay.mails().iter().find(is_asked)?.text();
        Some(text.split_once("Your sign-in code is ")?.1.chars().take(6).collect::<String>())
    })
    .await;
    let answer = server.http().post("/v0/agent/sign-in/verify", json!({"email": email, "otp_code": code})).await;
    let person = server.http().with_key(answer.ok()["api_key"].as_str().unwrap());
    (agent, person)
}

/// Stores a policy that holds first contacts of agents.
async fn hold_first_contacts(owner: &HttpClient) {
    put(owner, "/v0/policy", &json!({"recipients": {"first_contact": "hold"}})).await.ok();
}
