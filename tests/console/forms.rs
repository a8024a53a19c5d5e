//! Forms: each needs the token of its session, and comes from a page of this server.

use futures_util::future::join_all;
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
    let routes = console_routes().into_iter().filter(|(method, _)| *method == "post").map(|(_, path)| path);
    let forms: Vec<String> = routes
        .filter(|path| ![SIGN_IN, "/console/verify"].contains(path))
        .map(|path| target(path, &[("inbox_id", &agent.inbox_id), ("organization_id", &agent.organization_id)]))
        .collect();
    assert!(forms.len() > 30, "only {} forms were tried", forms.len());
    // Each form refuses a request without its token, one with that of another session, and one from another site.
    join_all(forms.iter().map(|path| {
        let (mut owner, mut nobody) = (owner.clone(), Browser::new(&server));
        let (own, foreign) = (&own, &foreign);
        async move {
            let elsewhere = post(path, &[("csrf_token", own)]).header("Sec-Fetch-Site", "cross-site");
            for request in [post(path, &[]), post(path, &[("csrf_token", foreign)]), elsewhere] {
                require_refused(owner.call(request).await);
            }
            // Without a session there is nothing to forge, and no body is read.
            assert_eq!(nobody.call(HttpRequest::new("POST", path)).await.location(), SIGN_IN, "{path}");
        }
    }))
    .await;
    assert_eq!(state_of(&agent).await, before, "a form changed something");
    assert_eq!(owner.get("/console").await.response.status, 200, "a form ended the session");
}

/// Requires the refusal of a form of another page.
fn require_refused(refused: Page) {
    refused.require_console(403, "This did not work").require_text(FOREIGN);
}

#[tokio::test]
async fn token_of_a_form_counts_whole_and_in_the_body_alone() {
    let (server, agent) = server_and_agent().await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let own = token(&owner.get("/console").await);
    let mut wrong = own.clone();
    wrong.replace_range(..1, if own.starts_with('A') { "B" } else { "A" });
    let path = "/console/pods";
    for token in ["", &wrong, &own[..own.len() - 1]] {
        require_refused(owner.call(post(path, &[("csrf_token", token), ("name", "Forged")])).await);
    }
    for (name, value) in [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "same-site")] {
        let fields = [("csrf_token", own.as_str()), ("name", "Forged")];
        require_refused(owner.call(post(path, &fields).header(name, value)).await);
    }
    let beside = post(&format!("{path}?csrf_token={own}"), &[("name", "Forged")]).header("X-CSRF-Token", &own);
    require_refused(owner.call(beside).await);
    let pods = async || agent.get("/v0/pods").await.ok().to_string();
    assert!(!pods().await.contains("Forged"));
    // The same form with its token does what it says.
    owner.call(post(path, &[("csrf_token", &own), ("name", "Forged")])).await.location();
    assert!(pods().await.contains("Forged"));
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
            refused.require_console(403, "This did not work").require_text(FOREIGN);
        }
        let fields = [("csrf_token", own.as_str()), ("email", "owner@example.org"), ("code", "123456")];
        let refused = owner.call(post(path, &fields).header("Sec-Fetch-Site", "cross-site")).await;
        refused.require_console(403, "This did not work").require_text(FOREIGN);
        // Another browser has not the secret to which the token belongs.
        let refused = other.call(post(path, &fields)).await.require_console(403, "This did not work");
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
