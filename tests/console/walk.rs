//! Routes of the console: for every person the same verdict as the operation of the API behind them.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use inboxd_testkit::{HttpClient, HttpRequest};

use super::signed_in;
use crate::browser::Browser;
use crate::guard::document::{Operation, operations, target};
use crate::guard::other_inboxes::agent_with_secrets;
use crate::people::{invite_and_join, sign_in_client};

/// Routes with the operation that their use case serves. Routes without one concern the browser and the person alone.
const ROUTES: &[(&str, &str)] = &[
    ("get /", ""),
    ("get /assets/{file}", ""),
    ("get /console/sign-in", ""),
    ("post /console/sign-in", ""),
    ("post /console/verify", ""),
    ("post /console/sign-out", ""),
    ("get /console/organization", ""),
    ("post /console/organization", ""),
    ("post /console/theme", ""),
    ("get /console", "GET /v0/inboxes"),
    ("get /console/inboxes", ""),
    ("post /console/inboxes", "POST /v0/inboxes"),
    ("get /console/search", "GET /v0/threads/search"),
    ("get /console/inboxes/{inbox_id}", "GET /v0/inboxes/{inbox_id}/threads"),
    ("get /console/inboxes/{inbox_id}/settings", "PATCH /v0/inboxes/{inbox_id}"),
    ("post /console/inboxes/{inbox_id}/settings", "PATCH /v0/inboxes/{inbox_id}"),
    ("get /console/inboxes/{inbox_id}/legal-hold", ""),
    ("post /console/inboxes/{inbox_id}/legal-hold", "PATCH /v0/inboxes/{inbox_id}/legal-hold"),
    ("get /console/inboxes/{inbox_id}/quarantine", ""),
    ("post /console/inboxes/{inbox_id}/quarantine", "PATCH /v0/inboxes/{inbox_id}"),
    ("get /console/inboxes/{inbox_id}/retention", ""),
    ("post /console/inboxes/{inbox_id}/retention", "PATCH /v0/inboxes/{inbox_id}"),
    ("get /console/inboxes/{inbox_id}/delete", ""),
    ("post /console/inboxes/{inbox_id}/delete", "DELETE /v0/inboxes/{inbox_id}"),
    ("get /console/inboxes/{inbox_id}/contacts", "GET /v0/inboxes/{inbox_id}/contacts"),
    ("post /console/inboxes/{inbox_id}/contacts", "PATCH /v0/inboxes/{inbox_id}/contacts/{address}"),
    ("get /console/inboxes/{inbox_id}/trace", "GET /v0/inboxes/{inbox_id}/trace"),
    ("get /console/inboxes/{inbox_id}/threads", ""),
    ("post /console/inboxes/{inbox_id}/threads", "PATCH /v0/inboxes/{inbox_id}/threads/{thread_id}"),
    ("get /console/inboxes/{inbox_id}/threads/{thread_id}", "GET /v0/inboxes/{inbox_id}/threads/{thread_id}"),
    ("post /console/inboxes/{inbox_id}/threads/{thread_id}", "PATCH /v0/inboxes/{inbox_id}/threads/{thread_id}"),
    ("get /console/inboxes/{inbox_id}/messages/{message_id}/body", "GET /v0/inboxes/{inbox_id}/messages/{message_id}"),
    (
        "get /console/inboxes/{inbox_id}/messages/{message_id}/source",
        "GET /v0/inboxes/{inbox_id}/messages/{message_id}/raw",
    ),
    (
        "get /console/inboxes/{inbox_id}/messages/{message_id}/raw",
        "GET /v0/inboxes/{inbox_id}/messages/{message_id}/raw",
    ),
    (
        "get /console/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}",
        "GET /v0/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}",
    ),
    ("get /console/drafts", "GET /v0/drafts"),
    ("get /console/inboxes/{inbox_id}/compose", "POST /v0/inboxes/{inbox_id}/drafts"),
    ("post /console/inboxes/{inbox_id}/compose", "POST /v0/inboxes/{inbox_id}/drafts"),
    ("get /console/inboxes/{inbox_id}/compose/autosave", ""),
    ("post /console/inboxes/{inbox_id}/compose/autosave", "POST /v0/inboxes/{inbox_id}/drafts"),
    ("get /console/inboxes/{inbox_id}/drafts/{draft_id}", "GET /v0/inboxes/{inbox_id}/drafts/{draft_id}"),
    ("post /console/inboxes/{inbox_id}/drafts/{draft_id}", "PATCH /v0/inboxes/{inbox_id}/drafts/{draft_id}"),
    ("get /console/inboxes/{inbox_id}/drafts/{draft_id}/autosave", ""),
    ("post /console/inboxes/{inbox_id}/drafts/{draft_id}/autosave", "PATCH /v0/inboxes/{inbox_id}/drafts/{draft_id}"),
    ("get /console/inboxes/{inbox_id}/drafts/{draft_id}/send", ""),
    ("post /console/inboxes/{inbox_id}/drafts/{draft_id}/send", "POST /v0/inboxes/{inbox_id}/drafts/{draft_id}/send"),
    ("get /console/inboxes/{inbox_id}/drafts/{draft_id}/approve", ""),
    (
        "post /console/inboxes/{inbox_id}/drafts/{draft_id}/approve",
        "POST /v0/inboxes/{inbox_id}/drafts/{draft_id}/approve",
    ),
    ("get /console/inboxes/{inbox_id}/drafts/{draft_id}/reject", ""),
    (
        "post /console/inboxes/{inbox_id}/drafts/{draft_id}/reject",
        "POST /v0/inboxes/{inbox_id}/drafts/{draft_id}/reject",
    ),
    ("get /console/inboxes/{inbox_id}/drafts/{draft_id}/sending", "GET /v0/inboxes/{inbox_id}/drafts/{draft_id}"),
    ("get /console/inboxes/{inbox_id}/drafts/{draft_id}/unschedule", ""),
    ("post /console/inboxes/{inbox_id}/drafts/{draft_id}/unschedule", "PATCH /v0/inboxes/{inbox_id}/drafts/{draft_id}"),
    ("get /console/inboxes/{inbox_id}/drafts/{draft_id}/delete", ""),
    ("post /console/inboxes/{inbox_id}/drafts/{draft_id}/delete", "DELETE /v0/inboxes/{inbox_id}/drafts/{draft_id}"),
    (
        "get /console/inboxes/{inbox_id}/drafts/{draft_id}/attachments/{attachment_id}",
        "GET /v0/inboxes/{inbox_id}/drafts/{draft_id}/attachments/{attachment_id}",
    ),
    ("get /console/inboxes/{inbox_id}/drafts/{draft_id}/body", "GET /v0/inboxes/{inbox_id}/drafts/{draft_id}"),
    ("get /console/api-keys", "GET /v0/api-keys"),
    ("post /console/api-keys", "POST /v0/api-keys"),
    ("get /console/api-keys/{api_key_id}", "GET /v0/api-keys/{api_key_id}"),
    ("post /console/api-keys/{api_key_id}", "PATCH /v0/api-keys/{api_key_id}"),
    ("post /console/api-keys/{api_key_id}/revoke", "DELETE /v0/api-keys/{api_key_id}"),
    ("get /console/connections", "GET /v0/connections"),
    ("get /console/connections/{connection_id}", "GET /v0/connections/{connection_id}"),
    ("post /console/connections/{connection_id}", "PATCH /v0/connections/{connection_id}"),
    ("post /console/connections/{connection_id}/revoke", "DELETE /v0/connections/{connection_id}"),
    ("get /console/events", "GET /v0/events"),
    ("get /console/events/stream", ""),
    ("get /console/members", "GET /v0/members"),
    ("post /console/members", "POST /v0/members"),
    ("get /console/members/{member_id}", "GET /v0/members/{member_id}"),
    ("post /console/members/{member_id}", "PATCH /v0/members/{member_id}"),
    ("post /console/members/{member_id}/remove", "DELETE /v0/members/{member_id}"),
    ("get /console/pods", "GET /v0/pods"),
    ("post /console/pods", "POST /v0/pods"),
    ("post /console/pods/{pod_id}/rename", "PATCH /v0/pods/{pod_id}"),
    ("post /console/pods/{pod_id}/quarantine", "PATCH /v0/pods/{pod_id}"),
    ("post /console/pods/{pod_id}/delete", "DELETE /v0/pods/{pod_id}"),
    ("get /console/domains", "GET /v0/domains"),
    ("post /console/domains", "POST /v0/domains"),
    ("get /console/domains/{domain_id}", "GET /v0/domains/{domain_id}"),
    ("post /console/domains/{domain_id}", "PATCH /v0/domains/{domain_id}"),
    ("post /console/domains/{domain_id}/verify", "POST /v0/domains/{domain_id}/verify"),
    ("get /console/domains/{domain_id}/zone-file", "GET /v0/domains/{domain_id}/zone-file"),
    ("post /console/domains/{domain_id}/delete", "DELETE /v0/domains/{domain_id}"),
    ("get /console/webhooks", "GET /v0/webhooks"),
    ("post /console/webhooks", "POST /v0/webhooks"),
    ("get /console/webhooks/{webhook_id}", "GET /v0/webhooks/{webhook_id}"),
    ("post /console/webhooks/{webhook_id}", "PATCH /v0/webhooks/{webhook_id}"),
    ("post /console/webhooks/{webhook_id}/headers", "PATCH /v0/webhooks/{webhook_id}/headers"),
    ("post /console/webhooks/{webhook_id}/rotate-secret", "POST /v0/webhooks/{webhook_id}/rotate-secret"),
    ("post /console/webhooks/{webhook_id}/replay", "POST /v0/webhooks/{webhook_id}/replay"),
    ("post /console/webhooks/{webhook_id}/delete", "DELETE /v0/webhooks/{webhook_id}"),
    // A limited member begins with the list of an own inbox.
    ("get /console/lists", "GET /v0/inboxes"),
    ("post /console/lists", "POST /v0/lists/{direction}/{type}"),
    ("post /console/lists/delete", "DELETE /v0/lists/{direction}/{type}/{entry}"),
    // A limited member begins with the policy of an own inbox.
    ("get /console/policy", "GET /v0/inboxes"),
    ("post /console/policy", "PUT /v0/policy"),
    ("post /console/policy/delete", "DELETE /v0/policy"),
    ("get /console/suppressions", "GET /v0/suppressions"),
    ("get /console/audit", "GET /v0/audit"),
    ("get /console/label-history", ""),
    ("get /console/usage", "GET /v0/metrics/usage"),
    ("get /console/settings", "GET /v0/auth/me"),
    ("post /console/settings/sign-out-everywhere", ""),
    ("post /console/settings/quarantine", "PATCH /v0/organizations"),
    ("post /console/settings/legal-hold", "PATCH /v0/legal-hold"),
    ("post /console/settings/plan", "POST /v0/billing/checkout"),
    ("post /console/settings/billing", "POST /v0/billing/portal"),
    // Pages of the operator exist for nobody else.
    ("get /console/operator", ""),
    ("get /console/operator/captured", ""),
    ("get /console/operator/postmaster", ""),
    ("get /console/operator/postmaster/{mail_id}", ""),
    ("get /console/operator/organizations/{organization_id}", ""),
    ("post /console/operator/organizations/{organization_id}/plan", ""),
    ("post /console/operator/organizations/{organization_id}/lift-brake", ""),
    ("post /console/operator/organizations/{organization_id}/suspend", ""),
    ("post /console/operator/organizations/{organization_id}/resume", ""),
];

/// Fields of all forms.
const FIELDS: [(&str, &str); 15] = [
    ("list", "send/block"),
    ("entry", "nobody@nowhere.example"),
    ("direction", "send"),
    ("type", "block"),
    ("to", "bob@outside.example"),
    ("subject", "hello"),
    ("text", "hello"),
    ("name", "name"),
    ("role", "member"),
    ("domain", "nowhere.example"),
    ("url", "https://hooks.example.invalid/inboxd"),
    ("action", "trash"),
    ("plan", "startup"),
    ("quarantine", "hold"),
    ("access", "read"),
];

/// A thread that does not exist.
const NOTHING: &str = "thr_00000000000000000000000000000000";

/// A person with the console and the API.
struct Person {
    name: &'static str,
    browser: Browser,
    token: String,
    api: HttpClient,
}

impl Person {
    async fn new(server: &inboxd_testkit::TestServer, name: &'static str, email: &str) -> Self {
        let mut browser = signed_in(server, email).await;
        let token = browser.get("/console/settings").await.values("csrf_token")[0].clone();
        Self { name, browser, token, api: sign_in_client(server, email).await }
    }

    /// Returns status and text of a route with these path parameters, which also fill the form.
    async fn visit(&mut self, route: &str, values: &[(&str, &str)]) -> (u16, String) {
        let (method, path) = route.split_once(' ').unwrap();
        let path = target(path, values);
        let request = if method == "get" {
            HttpRequest::new("GET", &path)
        } else {
            let thread_id = values.iter().find(|(name, _)| *name == "thread_id").map_or(NOTHING, |(_, id)| *id);
            let own = [("csrf_token", self.token.as_str()), ("thread_ids", thread_id)];
            let fields: Vec<_> = FIELDS.into_iter().chain(own).collect();
            HttpRequest::new("POST", &path).form(&fields)
        };
        let page = self.browser.call(request).await;
        (page.response.status, page.text())
    }
}

/// Visits all routes with an operation, and returns what differs from the operations.
async fn walk(mut person: Person, operations: &[Operation], secrets: &[(&str, &str)]) -> Vec<String> {
    let mut wrong = Vec::new();
    let is_outsider = ["member", "stranger"].contains(&person.name);
    for (route, operation) in ROUTES.iter().filter(|(_, operation)| !operation.is_empty()) {
        let of = |each: &&Operation| format!("{} {}", each.method, each.path) == *operation;
        let operation = operations.iter().find(of).unwrap_or_else(|| panic!("{operation} does not exist"));
        // What changes something is tried where it may not, and with ids that exist nowhere.
        for values in [&[][..], secrets] {
            if !values.is_empty() && (!is_outsider || operation.things().is_empty()) {
                continue;
            }
            let expected = person.api.call(operation.request(values)).await.status;
            let (status, text) = person.visit(route, values).await;
            // Some pages look for the thing before they look for the permission.
            let is_refused = [403, 404].contains(&status);
            let is_same = if expected == 403 { is_refused } else { status != 403 && status < 500 };
            if !is_same {
                wrong.push(format!("{}: {route} answers {status}, the API {expected}", person.name));
            }
            // Names of settings are no secret.
            if is_outsider && text.replace("_SECRET", "").contains("SECRET") {
                wrong.push(format!("{}: {route} shows a secret", person.name));
            }
            if !values.is_empty() && !is_refused {
                wrong.push(format!("{}: {route} of others answers {status}", person.name));
            }
        }
    }
    wrong
}

#[tokio::test]
async fn routes_have_verdict_of_their_operations() {
    let (server, agent, _, ids) = agent_with_secrets().await;
    let secrets: Vec<_> = ids.iter().map(|(name, id)| (*name, id.as_str())).collect();
    invite_and_join(&server, &agent, "ada@example.org", "admin", serde_json::json!(null)).await;
    server.verified("stranger@example.org", "stranger").await;
    let operations = operations(&server).await;
    let listed: BTreeSet<String> = ROUTES.iter().map(|(route, _)| (*route).to_owned()).collect();
    let offered: BTreeSet<String> =
        inboxd_http::console_routes().iter().map(|(method, path)| format!("{method} {path}")).collect();
    assert_eq!(listed, offered, "the table of this test is another one than that of the console");
    let before = agent.get("/v0/threads").await.ok();
    let persons = [
        ("owner", "owner@example.org"),
        ("admin", "ada@example.org"),
        ("member", "maria@example.org"),
        ("stranger", "stranger@example.org"),
    ];
    let walks = persons.map(|(name, email)| {
        let (server, operations, secrets) = (&server, &operations, &secrets);
        async move { walk(Person::new(server, name, email).await, operations, secrets).await }
    });
    let wrong = join_all(walks).await.concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(agent.get("/v0/threads").await.ok(), before, "a thread of others was changed");
}
