//! The document and the service name the same routes.

use std::collections::BTreeSet;

use inboxd_testkit::Request;

use super::document::{operations, target};
use crate::support::server_and_agent;

/// Every route of service.md and wire.md that this version offers.
const PROMISED: &[&str] = &[
    "POST /v0/agent/sign-up",
    "POST /v0/agent/verify",
    "POST /v0/agent/sign-in",
    "POST /v0/agent/sign-in/verify",
    "GET /v0/auth/me",
    "POST /v0/auth/switch",
    "GET /v0/members",
    "POST /v0/members",
    "GET /v0/members/{member_id}",
    "PATCH /v0/members/{member_id}",
    "DELETE /v0/members/{member_id}",
    "GET /v0/organizations",
    "GET /v0/inboxes",
    "POST /v0/inboxes",
    "GET /v0/inboxes/{inbox_id}",
    "PATCH /v0/inboxes/{inbox_id}",
    "DELETE /v0/inboxes/{inbox_id}",
    "GET /v0/inboxes/{inbox_id}/messages",
    "GET /v0/inboxes/{inbox_id}/messages/search",
    "GET /v0/inboxes/{inbox_id}/messages/wait",
    "POST /v0/inboxes/{inbox_id}/messages/send",
    "POST /v0/inboxes/{inbox_id}/messages/batch-get",
    "POST /v0/inboxes/{inbox_id}/messages/batch-update",
    "GET /v0/inboxes/{inbox_id}/messages/{message_id}",
    "PATCH /v0/inboxes/{inbox_id}/messages/{message_id}",
    "DELETE /v0/inboxes/{inbox_id}/messages/{message_id}",
    "POST /v0/inboxes/{inbox_id}/messages/{message_id}/reply",
    "POST /v0/inboxes/{inbox_id}/messages/{message_id}/reply-all",
    "POST /v0/inboxes/{inbox_id}/messages/{message_id}/forward",
    "GET /v0/inboxes/{inbox_id}/messages/{message_id}/raw",
    "GET /v0/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}",
    "GET /v0/inboxes/{inbox_id}/threads",
    "GET /v0/inboxes/{inbox_id}/threads/search",
    "GET /v0/inboxes/{inbox_id}/threads/{thread_id}",
    "PATCH /v0/inboxes/{inbox_id}/threads/{thread_id}",
    "DELETE /v0/inboxes/{inbox_id}/threads/{thread_id}",
    "GET /v0/inboxes/{inbox_id}/threads/{thread_id}/attachments/{attachment_id}",
    "GET /v0/inboxes/{inbox_id}/events",
    "GET /v0/inboxes/{inbox_id}/metrics/events",
    "GET /v0/inboxes/{inbox_id}/metrics/usage",
    "GET /v0/pods/{pod_id}/metrics/events",
    "GET /v0/pods/{pod_id}/metrics/usage",
    "GET /v0/metrics/events",
    "GET /v0/metrics/usage",
    "GET /v0/inboxes/{inbox_id}/api-keys",
    "POST /v0/inboxes/{inbox_id}/api-keys",
    "GET /v0/api-keys",
    "POST /v0/api-keys",
    "GET /v0/api-keys/{api_key_id}",
    "DELETE /v0/api-keys/{api_key_id}",
    "PATCH /v0/api-keys/{api_key_id}",
    "GET /v0/inboxes/{inbox_id}/api-keys/{api_key_id}",
    "PATCH /v0/inboxes/{inbox_id}/api-keys/{api_key_id}",
    "DELETE /v0/inboxes/{inbox_id}/api-keys/{api_key_id}",
    "GET /v0/pods",
    "POST /v0/pods",
    "GET /v0/pods/{pod_id}",
    "PATCH /v0/pods/{pod_id}",
    "DELETE /v0/pods/{pod_id}",
    "GET /v0/pods/{pod_id}/inboxes",
    "POST /v0/pods/{pod_id}/inboxes",
    "GET /v0/pods/{pod_id}/inboxes/{inbox_id}",
    "PATCH /v0/pods/{pod_id}/inboxes/{inbox_id}",
    "DELETE /v0/pods/{pod_id}/inboxes/{inbox_id}",
    "GET /v0/pods/{pod_id}/api-keys",
    "POST /v0/pods/{pod_id}/api-keys",
    "GET /v0/pods/{pod_id}/api-keys/{api_key_id}",
    "PATCH /v0/pods/{pod_id}/api-keys/{api_key_id}",
    "DELETE /v0/pods/{pod_id}/api-keys/{api_key_id}",
    "GET /v0/threads",
    "GET /v0/threads/search",
    "GET /v0/threads/{thread_id}",
    "PATCH /v0/threads/{thread_id}",
    "DELETE /v0/threads/{thread_id}",
    "GET /v0/threads/{thread_id}/attachments/{attachment_id}",
    "GET /v0/pods/{pod_id}/domains",
    "POST /v0/pods/{pod_id}/domains",
    "GET /v0/pods/{pod_id}/domains/{domain_id}",
    "PATCH /v0/pods/{pod_id}/domains/{domain_id}",
    "DELETE /v0/pods/{pod_id}/domains/{domain_id}",
    "POST /v0/pods/{pod_id}/domains/{domain_id}/verify",
    "GET /v0/pods/{pod_id}/domains/{domain_id}/zone-file",
    "GET /v0/pods/{pod_id}/drafts",
    "GET /v0/pods/{pod_id}/drafts/{draft_id}",
    "GET /v0/pods/{pod_id}/drafts/{draft_id}/attachments/{attachment_id}",
    "GET /v0/pods/{pod_id}/threads",
    "GET /v0/pods/{pod_id}/threads/search",
    "GET /v0/pods/{pod_id}/threads/{thread_id}",
    "PATCH /v0/pods/{pod_id}/threads/{thread_id}",
    "DELETE /v0/pods/{pod_id}/threads/{thread_id}",
    "GET /v0/pods/{pod_id}/threads/{thread_id}/attachments/{attachment_id}",
    "POST /v0/inboxes/{inbox_id}/threads/{thread_id}/notes",
    "DELETE /v0/inboxes/{inbox_id}/threads/{thread_id}/notes/{note_id}",
    "GET /v0/lists/{direction}/{type}",
    "POST /v0/lists/{direction}/{type}",
    "GET /v0/lists/{direction}/{type}/{entry}",
    "DELETE /v0/lists/{direction}/{type}/{entry}",
    "GET /v0/inboxes/{inbox_id}/lists/{direction}/{type}",
    "POST /v0/inboxes/{inbox_id}/lists/{direction}/{type}",
    "GET /v0/inboxes/{inbox_id}/lists/{direction}/{type}/{entry}",
    "DELETE /v0/inboxes/{inbox_id}/lists/{direction}/{type}/{entry}",
    "GET /v0/pods/{pod_id}/lists/{direction}/{type}",
    "POST /v0/pods/{pod_id}/lists/{direction}/{type}",
    "GET /v0/pods/{pod_id}/lists/{direction}/{type}/{entry}",
    "DELETE /v0/pods/{pod_id}/lists/{direction}/{type}/{entry}",
    "GET /v0/suppressions",
    "GET /v0/inboxes/{inbox_id}/drafts",
    "POST /v0/inboxes/{inbox_id}/drafts",
    "GET /v0/inboxes/{inbox_id}/drafts/{draft_id}",
    "PATCH /v0/inboxes/{inbox_id}/drafts/{draft_id}",
    "DELETE /v0/inboxes/{inbox_id}/drafts/{draft_id}",
    "POST /v0/inboxes/{inbox_id}/drafts/{draft_id}/send",
    "GET /v0/inboxes/{inbox_id}/drafts/{draft_id}/attachments/{attachment_id}",
    "GET /v0/drafts",
    "GET /v0/drafts/{draft_id}",
    "GET /v0/drafts/{draft_id}/attachments/{attachment_id}",
    "GET /v0/domains",
    "POST /v0/domains",
    "GET /v0/domains/{domain_id}",
    "PATCH /v0/domains/{domain_id}",
    "DELETE /v0/domains/{domain_id}",
    "POST /v0/domains/{domain_id}/verify",
    "GET /v0/domains/{domain_id}/zone-file",
    "GET /v0/billing",
    "POST /v0/billing/checkout",
    "POST /v0/billing/portal",
    "POST /v0/billing/webhook",
    "GET /v0/events",
    "GET /v0",
    "GET /health",
    "GET /ready",
    "GET /openapi.json",
    "GET /docs",
    "GET /docs/errors",
];

#[tokio::test]
async fn every_promised_route_is_served_and_every_route_of_the_api_is_in_the_document() {
    let (server, agent) = server_and_agent().await;
    let documented: BTreeSet<String> =
        operations(&server).await.iter().map(|operation| format!("{} {}", operation.method, operation.path)).collect();
    for promised in PROMISED {
        let is_page = !promised.contains("/v0/");
        assert!(is_page || documented.contains(*promised), "{promised} is not in the document");
    }
    // What is served and not documented would answer something else than 404 or 405 to a method of its path.
    for promised in PROMISED {
        let (_, path) = promised.split_once(' ').unwrap();
        let target = target(path, &[("inbox_id", &agent.inbox_id)]);
        for method in ["GET", "POST", "PUT", "PATCH"] {
            let route = format!("{method} {path}");
            if documented.contains(&route) || PROMISED.contains(&route.as_str()) {
                continue;
            }
            let answer = agent.call(Request::new(method, &target)).await;
            assert!([404, 405].contains(&answer.status), "{route} is served and not documented: {}", answer.text());
        }
    }
}
