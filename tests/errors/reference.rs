//! The page that explains every code.

use crate::support::server;

#[tokio::test]
async fn the_reference_has_every_code_that_the_service_can_answer() {
    let server = server().await;
    let page = server.http().get("/docs/errors").await;
    assert_eq!(page.status, 200);
    assert!(page.header("Content-Type").unwrap().starts_with("text/html"), "{page:?}");
    let codes = [
        "unknown_event_type",
        "query_range_too_wide",
        "missing_authorization",
        "unknown_api_key",
        "api_key_expired",
        "invalid_code",
        "missing_permission",
        "permission_escalation",
        "inbox_out_of_scope",
        "pod_out_of_scope",
        "organization_unverified",
        "recipient_suppressed",
        "recipient_blocked",
        "recipient_not_allowed",
        "read_only_entry",
        "already_exists",
        "domain_not_verified",
        "not_found",
        "route_not_found",
        "method_not_allowed",
        "payload_too_large",
        "unsupported_media_type",
        "account_exists",
        "conflict",
        "address_taken",
        "already_verified",
        "validation_error",
        "system_label",
        "inbox_limit_reached",
        "daily_limit_reached",
        "monthly_limit_reached",
        "storage_limit_reached",
        "code_attempts_exceeded",
        "too_many_requests",
        "internal_error",
        "service_unavailable",
    ];
    let text = page.text();
    for code in codes {
        assert!(text.contains(&format!("id=\"{code}\"")), "the page has no anchor for {code}");
    }
}
