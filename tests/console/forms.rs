//! Forms: each needs the token of its session, and comes from a page of this server.

use inboxd_http::console_routes;
use inboxd_testkit::HttpRequest;

use super::{SIGN_IN, signed_in};
use crate::browser::{Browser, Page};
use crate::guard::document::target;
use crate::support::server_and_agent;

/// Start of the message that refuses a form of another page.
const FOREIGN: &str = "This form was not made for this browser";

/// Returns a POST of these form fields.
fn post(path: &str, fields: &[(&str, &str)]) -> HttpRequest {
    HttpRequest::new("POST", path).form(fields)
}

/// Returns the token of the forms of a page.
fn token(page: &Page) -> String {
    page.values("csrf_token").first().cloned().unwrap_or_else(|| panic!("{}", page.text()))
}

#[tokio::test]
async fn forms_of_other_sites_and_sessions_are_refused() {
    let (server, agent) = server_and_agent().await;
    server.verified("stranger@example.org", "stranger").await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let mut stranger = signed_in(&server, "stranger@example.org").await;
    let own = token(&owner.get("/console").await);
    let foreign = token(&stranger.get("/console").await);
    let before = state_of(&agent).await;
    let mut tried = 0;
    for (_, path) in console_routes().into_iter().filter(|(method, _)| *method == "post") {
        if [SIGN_IN, "/console/verify"].contains(&path) {
            continue;
        }
        let path = target(path, &[("inbox_id", &agent.inbox_id), ("organization_id", &agent.organization_id)]);
        // The choice of an organization is a page outside the console.
        let require = |refused: Page| match path.as_str() {
            "/console/organization" => refused.require(403, "This did not work").require_text(FOREIGN),
            _ => refused.require_console(403, "This did not work").require_text(FOREIGN),
        };
        let mut wrong = own.clone();
        wrong.replace_range(..1, if own.starts_with('A') { "B" } else { "A" });
        for token in ["", &wrong, &foreign, &own[..own.len() - 1]] {
            let refused = owner.call(post(&path, &[("csrf_token", token)])).await;
            require(refused);
        }
        let refused = owner.call(post(&path, &[])).await;
        require(refused);
        for (name, value) in
            [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site")]
        {
            let refused = owner.call(post(&path, &[("csrf_token", &own)]).header(name, value)).await;
            require(refused);
        }
        // The token counts in the body alone.
        let refused = owner.call(post(&format!("{path}?csrf_token={own}"), &[]).header("X-CSRF-Token", &own)).await;
        require(refused);
        // Without a session there is nothing to forge, and no body is read.
        let answer = Browser::new(&server).call(HttpRequest::new("POST", &path)).await;
        assert_eq!(answer.location(), SIGN_IN, "{path}");
        tried += 1;
    }
    assert!(tried > 30, "only {tried} forms were tried");
    assert_eq!(state_of(&agent).await, before, "a form changed something");
    assert_eq!(owner.get("/console").await.response.status, 200, "a form ended the session");
}

#[tokio::test]
async fn sign_in_forms_belong_to_their_browser() {
    let (server, _agent) = server_and_agent().await;
    let (mut owner, mut other) = (Browser::new(&server), Browser::new(&server));
    let (own, foreign) = (token(&owner.get(SIGN_IN).await), token(&other.get(SIGN_IN).await));
    for path in [SIGN_IN, "/console/verify"] {
        for token in ["", "x", &foreign] {
            let fields = [("csrf_token", token), ("email", "owner@example.org"), ("code", "123456")];
            let refused = owner.call(post(path, &fields)).await;
            refused.require(403, "This did not work").require_text(FOREIGN);
        }
        let fields = [("csrf_token", own.as_str()), ("email", "owner@example.org"), ("code", "123456")];
        let refused = owner.call(post(path, &fields).header("Sec-Fetch-Site", "cross-site")).await;
        refused.require(403, "This did not work").require_text(FOREIGN);
        // Another browser has not the secret to which the token belongs.
        let refused = other.call(post(path, &fields)).await.require(403, "This did not work");
        refused.require_text(FOREIGN);
        assert!(refused.text().contains("href=\"/console\""), "{}", refused.text());
    }
    owner
        .submit(&owner.clone().get(SIGN_IN).await, SIGN_IN, &[("email", "owner@example.org")])
        .await
        .require_console(200, "Enter the code");
}

/// Returns what the forms of the console could change.
async fn state_of(agent: &inboxd_testkit::Persona) -> Vec<String> {
    let mut state = Vec::new();
    for list in
        ["inboxes", "api-keys", "members", "pods", "domains", "webhooks", "drafts", "threads", "lists/send/block"]
    {
        let mut found = agent.get(&format!("/v0/{list}")).await.ok();
        for key in found["api_keys"].as_array_mut().into_iter().flatten() {
            key["used_at"].take();
        }
        state.push(found.to_string());
    }
    state
}
