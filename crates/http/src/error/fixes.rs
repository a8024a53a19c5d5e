//! Refusals and fixes in words, for [`super::mapping`].

use inboxd_core::model::{DomainId, DraftId, EventType, InboxId, Permission, Role, SuppressionReason, WebhookId};
use inboxd_core::{FieldError, FieldErrorKind, Resource};
use time::OffsetDateTime;

use super::mapping::TO_OPT_IN;
use super::{ApiError, ErrorCode, ErrorExtra, ErrorRetry};

/// Returns the refusal at the loop budget of an address in a thread; at `until` a message is possible again.
pub(super) fn budget_spent(message: String, until: OffsetDateTime) -> ApiError {
    ApiError::new(ErrorCode::LoopBudgetReached, message)
        .retry(ErrorRetry::At(until))
        .fix(format!("check the conversation; wait until {}, or let a member reply", shown(until)))
}

/// Returns the refusal after too many wrong codes; at `until` the step `then` is possible.
pub(super) fn paused(message: String, until: OffsetDateTime, then: &str) -> ApiError {
    let fix = format!("wait until {}; then {then}", shown(until));
    ApiError::new(ErrorCode::AttemptsExceeded, message).retry(ErrorRetry::At(until)).fix(fix)
}

pub(super) fn invalid(errors: Vec<FieldError>) -> ApiError {
    let named: Vec<String> = errors.iter().take(3).map(in_words).collect();
    let more = if errors.len() > named.len() { "; and more, see `errors`" } else { "" };
    let message = format!("{}{more}", named.join("; "));
    let paths: Vec<&str> =
        errors.iter().map(|error| error.path.as_str()).filter(|path| !path.is_empty()).take(10).collect();
    let is_system_label = |error: &&FieldError| error.mistake == FieldErrorKind::SystemLabel;
    if let Some(label) = errors.iter().find(is_system_label) {
        let fix = format!("leave {} out; use labels of your own", label.path);
        return ApiError::new(ErrorCode::SystemLabel, message).fix(fix).with(ErrorExtra::Fields(errors));
    }
    let is_unsupported = |error: &&FieldError| error.mistake == FieldErrorKind::Unsupported;
    let unsupported: Vec<&str> = errors.iter().filter(is_unsupported).map(|error| error.path.as_str()).collect();
    if !unsupported.is_empty() {
        let fix = format!("leave {} out; this server does not support it", unsupported.join(", "));
        return ApiError::new(ErrorCode::UnsupportedField, message).fix(fix).with(ErrorExtra::Fields(errors));
    }
    let fix = if paths.is_empty() { "send a JSON object".to_owned() } else { format!("correct {}", paths.join(", ")) };
    ApiError::new(ErrorCode::ValidationError, message).fix(fix).with(ErrorExtra::Fields(errors))
}

/// Formats a bad field as text. The path of the whole body is empty.
fn in_words(error: &FieldError) -> String {
    if error.path.is_empty() { error.message.clone() } else { format!("{}: {}", error.path, error.message) }
}

pub(super) fn permission_escalation(message: String, permission: Permission) -> ApiError {
    if permission.is_opt_in() {
        let fix = format!("leave {} out of `permissions`, or {TO_OPT_IN}", permission.as_str());
        return ApiError::new(ErrorCode::PermissionEscalation, message).fix(fix);
    }
    ApiError::new(ErrorCode::PermissionEscalation, message).fix(format!(
        "leave {0} out of `permissions`, or create the key with a key that holds {0}",
        permission.as_str()
    ))
}

pub(super) fn role_escalation(message: String, role: Role, permission: Permission) -> ApiError {
    ApiError::new(ErrorCode::PermissionEscalation, message).fix(format!(
        "use a key that holds all permissions of the role {role}, {} included, or ask the owner or an admin",
        permission.as_str()
    ))
}

pub(super) fn inbox_id_required(message: String, theirs: &[InboxId]) -> ApiError {
    let missing = FieldError::new("inbox_id", "is required for a member limited to several inboxes");
    ApiError::new(ErrorCode::InboxIdRequired, message)
        .fix(format!("name {} as `inbox_id`, or use /v0/inboxes/{{inbox_id}}/…", one_of(theirs)))
        .with(ErrorExtra::Fields(vec![missing]))
}

pub(super) fn to_allow(recipient: &str, path_of_list: &str) -> String {
    let body = serde_json::json!({ "entry": recipient });
    format!("leave {recipient} out, or add it to the list: POST {path_of_list} {body}")
}

pub(super) fn to_verify(domain_id: Option<DomainId>, domain: &str) -> String {
    let how = match domain_id {
        Some(id) => format!(
            "publish the records that GET /v0/domains/{id} lists and verify them with POST /v0/domains/{id}/verify"
        ),
        None => {
            format!("add {domain} with POST /v0/domains and verify it with POST /v0/domains/{{domain_id}}/verify")
        }
    };
    format!("leave `domain` out to use the inbox domain of the organization, or {how}")
}

pub(super) fn existing(resource: Resource, id: &str) -> String {
    match resource {
        Resource::Domain => format!("use it: GET /v0/domains/{id}; or delete it first with DELETE /v0/domains/{id}"),
        Resource::Member => {
            format!("read the member with GET /v0/members/{id} and change it with PATCH /v0/members/{id}")
        }
        Resource::File => {
            format!("choose another path, or delete the file first with DELETE /v0/inboxes/{{inbox_id}}/files/{id}")
        }
        _ => ErrorCode::AlreadyExists.fix().to_owned(),
    }
}

pub(super) fn users_of(resource: Resource) -> &'static str {
    match resource {
        Resource::Domain => "delete its inboxes first with DELETE /v0/inboxes/{inbox_id}; GET /v0/inboxes lists them",
        Resource::Pod => {
            "delete its inboxes first with DELETE /v0/inboxes/{inbox_id}; GET /v0/pods/{pod_id}/inboxes lists them"
        }
        _ => ErrorCode::CannotDelete.fix(),
    }
}

pub(super) fn one_of_event_types() -> String {
    let known: Vec<_> = EventType::ALL.iter().map(|kind| kind.as_str()).collect();
    format!("use one of {}", known.join(", "))
}

pub(super) fn to_replay(kept_since: OffsetDateTime) -> String {
    format!("use a `since` of {} or later", shown(kept_since))
}

pub(super) fn to_wait_for(draft_id: DraftId) -> String {
    format!("wait; GET /v0/drafts/{draft_id} returns 404 once the draft is sent, and its state otherwise")
}

pub(super) fn to_enable(webhook_id: WebhookId) -> String {
    format!(r#"enable it first: PATCH /v0/webhooks/{webhook_id} {{"enabled": true}}"#)
}

/// Formats a short list of inboxes as text.
pub(super) fn one_of(inbox_ids: &[InboxId]) -> String {
    match inbox_ids {
        [one] => one.to_string(),
        several => {
            let named: Vec<String> = several.iter().take(5).map(ToString::to_string).collect();
            format!("one of {}", named.join(", "))
        }
    }
}

pub(super) fn where_to_look(resource: Resource) -> &'static str {
    match resource {
        Resource::Inbox => "list the inboxes with GET /v0/inboxes",
        Resource::Message => "list the messages with GET /v0/inboxes/{inbox_id}/messages",
        Resource::Thread => "list the threads with GET /v0/inboxes/{inbox_id}/threads",
        Resource::Draft => "list the drafts with GET /v0/drafts",
        Resource::Attachment => "read the message or thread and use one of its attachment_ids",
        Resource::Download => {
            "request a new link with GET …/attachments/{attachment_id} or GET …/raw; links are short-lived"
        }
        Resource::Domain => "list the domains with GET /v0/domains",
        Resource::ApiKey => "list the API keys with GET /v0/api-keys",
        Resource::Contact => "list the contacts of the inbox with GET /v0/inboxes/{inbox_id}/contacts",
        Resource::File => "list the files with GET /v0/inboxes/{inbox_id}/files",
        Resource::Upload => "create the file again with POST /v0/inboxes/{inbox_id}/files; it returns a new URL",
        Resource::CalendarFeed => "create one with POST /v0/inboxes/{inbox_id}/calendar/feed",
        Resource::CalendarEvent => "list the events with GET /v0/inboxes/{inbox_id}/calendar/events",
        Resource::Connection => "list the connections with GET /v0/connections",
        Resource::Pod => "list the pods with GET /v0/pods",
        Resource::Event => "list the events with GET /v0/events, and resume from one of them",
        Resource::ApprovalLink => "the link expired or was changed; sign in to the console and open Drafts",
        Resource::Policy => "the scope has no policy of its own; PUT on the same path stores one",
        Resource::Note => "read the thread and use one of its note_ids",
        Resource::ListEntry => "list the entries with GET on the path of the list, without the entry",
        Resource::Member => "list the members with GET /v0/members",
        Resource::Webhook => "list the webhooks with GET /v0/webhooks",
        Resource::App => "no action is possible: this service has no apps; GET /v0/apps is empty",
        Resource::Account => "no action is possible: no inbox has an account at an app; GET /v0/accounts is empty",
        Resource::Organization => "use an organization_id that GET /v0/auth/me lists",
    }
}

pub(super) fn why(reason: SuppressionReason) -> &'static str {
    match reason {
        SuppressionReason::Bounce => "its server refused a message permanently",
        SuppressionReason::Complaint => "the recipient marked a message as spam",
    }
}

pub(super) fn shown(time: OffsetDateTime) -> String {
    crate::views::time::format_time(time)
}

/// Returns the fix for a feed reader with a last event that is no longer stored.
pub(super) fn to_go_on(kept_since: OffsetDateTime) -> String {
    let start = shown(kept_since);
    format!(
        "resume from the oldest event that GET /v0/events?ascending=true&start={start} lists, or from new events without `after_event_id`"
    )
}
