//! Refusal of storage-consuming requests while disk space is low.

use actix_web::http::Method;
use inboxd_core::app::App;

use crate::error::ApiError;

/// Path suffixes of POST requests that are never refused: they store nothing permanent, or they must work to verify
/// members, revoke access or repair.
const NOT_GROWING: &[&str] = &[
    "/agent/verify",
    "/agent/sign-in",
    "/agent/sign-in/verify",
    "/auth/switch",
    "/billing/webhook",
    "/oauth/authorize",
    "/oauth/organization",
    "/oauth/revoke",
    "/oauth/sign-in",
    "/oauth/sign-out",
    "/oauth/token",
    "/oauth/verify",
    "/batch-get",
    // A message that must not leave is stopped in time.
    "/cancel",
    "/delete",
    // Each tool of the MCP server checks for itself.
    "/mcp",
    "/redact",
    "/reject",
    "/rotate-secret",
    // The handler refuses a new name of an inbox; a pause must work.
    "/settings",
    "/unschedule",
    "/verify",
];

/// Beginnings of paths of the console whose forms change or delete what exists. The replay of a webhook queues deliveries.
const NOT_GROWING_IN_CONSOLE: &[&str] = &[
    "/console/api-keys/",
    "/console/connections/",
    "/console/domains/",
    "/console/lists/delete",
    "/console/members/",
    "/console/operator/",
    "/console/organization",
    "/console/pods/",
    "/console/policy/delete",
    "/console/settings/",
    "/console/sign-",
    "/console/theme",
    "/console/webhooks/",
];

/// Refuses a request that would store more data while disk space is low.
pub(super) fn check(app: &App, method: &Method, path: &str) -> Result<(), ApiError> {
    if !app.capacity.has_space() && is_growing(method, path) { Err(ApiError::no_space()) } else { Ok(()) }
}

fn is_growing(method: &Method, path: &str) -> bool {
    match *method {
        Method::POST | Method::PUT => {
            let is_kept = NOT_GROWING.iter().any(|end| path.ends_with(end))
                || NOT_GROWING_IN_CONSOLE.iter().any(|start| path.starts_with(start)) && !path.ends_with("/replay");
            !is_kept
        }
        // New labels rewrite every message of a thread, and changes of an event are mailed. Changes of an inbox, a key or a
        // member must work.
        Method::PATCH => {
            ["/calendar/events/", "/drafts/", "/messages/", "/threads/"].iter().any(|part| path.contains(part))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_content_requests_grow() {
        let inbox = "/v0/inboxes/a@b.example";
        for path in ["/messages/send", "/messages/x/reply", "/drafts", "/drafts/d/send", "/threads/t/notes", ""] {
            assert!(is_growing(&Method::POST, &format!("{inbox}{path}")), "{path}");
        }
        for path in ["/drafts/d", "/threads/t", "/messages/m", "/calendar/events/cev_1"] {
            assert!(is_growing(&Method::PATCH, &format!("{inbox}{path}")), "{path}");
        }
        assert!(is_growing(&Method::POST, &format!("{inbox}/messages/batch-update")));
        for path in [
            "/messages/batch-get",
            "/messages/x/cancel",
            "/messages/x/redact",
            "/drafts/d/reject",
            "/webhooks/w/rotate-secret",
            "/mcp",
        ] {
            assert!(!is_growing(&Method::POST, &format!("{inbox}{path}")), "{path}");
        }
        for path in [
            "inboxes/a@b.example/drafts/d/delete",
            "inboxes/a@b.example/drafts/d/unschedule",
            "inboxes/a@b.example/settings",
        ] {
            assert!(!is_growing(&Method::POST, &format!("/console/{path}")), "{path}");
        }
        for path in ["members/m/remove", "members/m", "api-keys/k/revoke", "sign-out", "verify", "organization"] {
            assert!(!is_growing(&Method::POST, &format!("/console/{path}")), "{path}");
        }
        for path in ["members", "api-keys", "webhooks/w/replay", "inboxes/a@b.example/send"] {
            assert!(is_growing(&Method::POST, &format!("/console/{path}")), "{path}");
        }
        for method in [Method::GET, Method::HEAD, Method::DELETE] {
            assert!(!is_growing(&method, &format!("{inbox}/threads/t")), "{method}");
        }
        for path in ["/v0/inboxes/a@b.example", "/v0/api-keys/k", "/v0/members/m"] {
            assert!(!is_growing(&Method::PATCH, path), "{path}");
        }
    }
}
