//! Error reference page.

use std::collections::BTreeMap;

use crate::support::server;

/// Every code with its status and name, as specified.
const PROMISED: &[(u16, &str, &[&str])] = &[
    (400, "BadRequestError", &["unknown_event_type", "cursor_expired", "query_range_too_wide"]),
    (401, "UnauthorizedError", &["missing_authorization", "unknown_api_key", "api_key_expired", "invalid_code"]),
    (
        403,
        "ForbiddenError",
        &[
            "missing_permission",
            "permission_escalation",
            "inbox_out_of_scope",
            "pod_out_of_scope",
            "organization_unverified",
            "not_offered",
            "sign_up_closed",
            "recipient_not_allowed",
            "recipient_blocked",
            "recipient_suppressed",
            "role_not_allowed",
            "owner_protected",
            "policy_refused",
            "automatic_message",
            "read_only_entry",
            "domain_not_verified",
            "organization_suspended",
            "sending_held",
            "inbox_paused",
        ],
    ),
    (404, "NotFoundError", &["not_found", "route_not_found"]),
    (405, "MethodNotAllowedError", &["method_not_allowed"]),
    (
        409,
        "ConflictError",
        &[
            "account_exists",
            "conflict",
            "address_taken",
            "already_exists",
            "cannot_delete",
            "not_awaiting_approval",
            "draft_sending",
            "message_sent",
            "legal_hold",
            "already_verified",
            "billing_not_configured",
        ],
    ),
    (412, "PreconditionFailedError", &["precondition_failed"]),
    (413, "PayloadTooLargeError", &["payload_too_large"]),
    (416, "RangeNotSatisfiableError", &["range_not_satisfiable"]),
    (415, "UnsupportedMediaTypeError", &["unsupported_media_type"]),
    (
        422,
        "ValidationError",
        &[
            "validation_error",
            "inbox_id_required",
            "system_label",
            "unsupported_field",
            "reply_to_elsewhere",
            "text_unsupported",
            "text_encrypted",
            "text_too_large",
            "text_timed_out",
            "text_failed",
        ],
    ),
    (
        429,
        "RateLimitError",
        &[
            "inbox_limit_reached",
            "domain_limit_reached",
            "pod_limit_reached",
            "sending_slowed",
            "daily_limit_reached",
            "monthly_limit_reached",
            "storage_limit_reached",
            "member_limit_reached",
            "webhook_limit_reached",
            "code_attempts_exceeded",
            "too_many_requests",
            "loop_budget_reached",
            "resource_limit_reached",
        ],
    ),
    (500, "InternalServerError", &["internal_error", "content_lost"]),
    (503, "ServiceUnavailableError", &["service_unavailable"]),
    // Codes beyond the client libraries: an incomplete body, and calls that no library makes.
    (408, "RequestTimeoutError", &["request_timeout"]),
    (426, "UpgradeRequiredError", &["upgrade_required"]),
    (400, "BadRequestError", &["invalid_signature", "malformed_request"]),
    (431, "HeadersTooLargeError", &["headers_too_large"]),
    // Codes of OAuth, at its own endpoints and pages.
    (
        400,
        "BadRequestError",
        &[
            "invalid_request",
            "invalid_grant",
            "unauthorized_client",
            "unsupported_grant_type",
            "unsupported_response_type",
            "invalid_scope",
            "invalid_target",
            "invalid_redirect_uri",
            "invalid_client_metadata",
        ],
    ),
    (401, "UnauthorizedError", &["invalid_client"]),
    (403, "ForbiddenError", &["access_denied", "invalid_form_token"]),
];

#[tokio::test]
async fn reference_lists_exactly_the_specified_codes() {
    let server = server().await;
    let page = server.http().get("/docs/errors").await;
    assert_eq!(page.status, 200);
    assert!(page.header("Content-Type").unwrap().starts_with("text/html"), "{page:?}");
    let promised: BTreeMap<&str, String> = PROMISED
        .iter()
        .flat_map(|(status, name, codes)| codes.iter().map(move |code| (*code, format!("{status} {name}"))))
        .collect();
    let text = page.text();
    let explained: BTreeMap<&str, String> = text
        .split("<h2 id=\"")
        .skip(1)
        .map(|part| {
            let (code, rest) = part.split_once('"').unwrap();
            (
                code,
                rest.split(['<', '>']).find(|word| word.starts_with(|c: char| c.is_ascii_digit())).unwrap().to_owned(),
            )
        })
        .collect();
    assert_eq!(explained, promised);
}
