//! Refusals at plan limits and row limits.

use inboxd_core::{LimitReached, LimitedRows};

use super::fixes::shown;
use super::mapping::VERIFY;
use super::{ApiError, ErrorCode, ErrorRetry};

const RAISE: &str =
    "raise the plan with POST /v0/billing/checkout, or ask the operator to raise it with `inboxd admin plan`";

/// Returns the refusal at a plan limit. It never states the current amount: after a downgrade more rows may exist than
/// the plan allows.
pub(super) fn limit_reached(which: LimitReached, limit: u64, verified: bool) -> ApiError {
    let or_raise = if verified { RAISE } else { VERIFY };
    let refuse = |code, allowed: String| ApiError::new(code, format!("the plan allows at most {allowed}"));
    let wait = |until| format!("wait until {}, or {or_raise}", shown(until));
    let delete_one =
        |call: &str, list: &str| format!("delete one with DELETE {call} (GET {list} lists them), or {or_raise}");
    match which {
        LimitReached::Inboxes => refuse(ErrorCode::InboxLimitReached, counted(limit, "inbox", "inboxes"))
            .retry(ErrorRetry::After(1))
            .fix(delete_one("/v0/inboxes/{inbox_id}", "/v0/inboxes")),
        LimitReached::Domains if !verified => {
            ApiError::new(ErrorCode::DomainLimitReached, "an unverified organization has no custom domains")
                .retry(ErrorRetry::After(1))
                .fix(VERIFY)
        }
        LimitReached::Domains => refuse(ErrorCode::DomainLimitReached, counted(limit, "domain", "domains"))
            .retry(ErrorRetry::After(1))
            .fix(delete_one("/v0/domains/{domain_id}", "/v0/domains")),
        LimitReached::Members => {
            refuse(ErrorCode::MemberLimitReached, counted(limit, "member or invitation", "members and invitations"))
                .retry(ErrorRetry::After(1))
                .fix(delete_one("/v0/members/{member_id}", "/v0/members"))
        }
        LimitReached::Webhooks if !verified => {
            ApiError::new(ErrorCode::WebhookLimitReached, "an unverified organization has no webhooks")
                .retry(ErrorRetry::After(1))
                .fix(VERIFY)
        }
        LimitReached::Webhooks => refuse(ErrorCode::WebhookLimitReached, counted(limit, "webhook", "webhooks"))
            .retry(ErrorRetry::After(1))
            .fix(delete_one("/v0/webhooks/{webhook_id}", "/v0/webhooks")),
        LimitReached::Daily { resets_at } => {
            refuse(ErrorCode::DailyLimitReached, format!("{} a day", counted(limit, "message", "messages")))
                .retry(ErrorRetry::At(resets_at))
                .fix(wait(resets_at))
        }
        LimitReached::Monthly { resets_at } => {
            refuse(ErrorCode::MonthlyLimitReached, format!("{} a month", counted(limit, "message", "messages")))
                .retry(ErrorRetry::At(resets_at))
                .fix(wait(resets_at))
        }
        LimitReached::Pods => refuse(ErrorCode::PodLimitReached, counted(limit, "pod", "pods"))
            .retry(ErrorRetry::After(1))
            .fix(delete_one("/v0/pods/{pod_id}", "/v0/pods")),
        LimitReached::Storage => refuse(
            ErrorCode::StorageLimitReached,
            format!("{} of messages, drafts, notes and files", counted(limit, "byte", "bytes")),
        )
        .fix(format!("delete messages, threads, drafts or files, which frees their storage at once, or {or_raise}")),
    }
}

/// Returns the refusal at a row limit.
pub(super) fn row_limit_reached(message: String, rows: LimitedRows) -> ApiError {
    let refused = ApiError::new(ErrorCode::ResourceLimitReached, message).retry(ErrorRetry::After(1));
    match rows {
        LimitedRows::Drafts => {
            refused.fix("delete one with DELETE /v0/inboxes/{inbox_id}/drafts/{draft_id}; GET /v0/drafts lists them")
        }
        LimitedRows::Files => {
            refused.fix("delete one with DELETE /v0/inboxes/{inbox_id}/files/{file_id}; GET …/files lists them")
        }
        LimitedRows::Notes => refused.fix(
            "delete one with DELETE /v0/inboxes/{inbox_id}/threads/{thread_id}/notes/{note_id}; GET on the thread lists them",
        ),
        LimitedRows::CalendarEvents => refused.fix(
            "delete one with DELETE /v0/inboxes/{inbox_id}/calendar/events/{event_id}; GET …/calendar/events lists them",
        ),
        LimitedRows::ListEntries => refused.fix(
            "delete one with DELETE /v0/lists/{direction}/{type}/{entry}, or use domains instead of addresses",
        ),
        LimitedRows::ContactDecisions => refused.fix(
            "remove one with PATCH /v0/inboxes/{inbox_id}/contacts/{address} and \"decision\": null, or block a domain with POST /v0/lists/receive/block",
        ),
        LimitedRows::PollingWebhooks => refused
            .fix("delete one with DELETE …/webhooks/polling/{webhook_id}; GET …/webhooks/polling lists those of its path"),
        LimitedRows::ApiKeys => {
            refused.fix("delete one with DELETE /v0/api-keys/{api_key_id}; GET /v0/api-keys lists them")
        }
        LimitedRows::Connections => {
            refused.fix("end one with DELETE /v0/connections/{connection_id}; GET /v0/connections lists them")
        }
        LimitedRows::PendingInvitations => {
            refused.fix("withdraw one with DELETE /v0/members/{member_id}, or wait until one is accepted")
        }
        LimitedRows::Creations { resets_at } | LimitedRows::Changes { resets_at } => {
            refused.retry(ErrorRetry::At(resets_at)).fix(format!("wait until {}", shown(resets_at)))
        }
    }
}

fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
