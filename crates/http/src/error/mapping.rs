//! Mapping of core errors to API errors (`wire.md`, section 2).

use inboxd_core::model::{
    DomainId, DraftId, EventType, InboxId, OAuthError, OAuthErrorCode, Permission, Role, SuppressionReason, WebhookId,
};
use inboxd_core::ports::{PaymentsError, StoreError};
use inboxd_core::{Error, FieldError, FieldErrorKind, Resource};
use time::OffsetDateTime;

use super::caller::{to_hold, to_reach};
use super::limits::{limit_reached, row_limit_reached};
use super::{ApiError, ErrorCode, ErrorExtra, ErrorRetry};
use crate::list_path::{path_of_entry, path_of_list};

pub(super) const VERIFY: &str =
    "verify the organization with POST /v0/agent/verify and the code that was mailed to the owner";
/// Fix for a sign-in code that is no longer usable.
const ANOTHER_CODE: &str = "ask for a fresh code with POST /v0/agent/sign-in; if none is mailed, many were asked for: ask again after five minutes";
/// Fix with which an owner gets a new code for their organization at once.
const FRESH_CODE: &str = "sign in as the owner with POST /v0/agent/sign-in and POST /v0/agent/sign-in/verify, which mails a fresh code for POST /v0/agent/verify at once";

impl From<Error> for ApiError {
    #[expect(clippy::too_many_lines, reason = "one arm per error: the complete mapping in one place")]
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let refuse = |code| Self::new(code, message.clone());
        match error {
            Error::UnknownApiKey => refuse(ErrorCode::UnknownApiKey),
            Error::ApiKeyExpired { .. } => refuse(ErrorCode::ApiKeyExpired),
            Error::MissingPermission(permission) => refuse(ErrorCode::MissingPermission)
                .fix(to_hold(permission, None))
                .with(ErrorExtra::Permission(permission)),
            Error::PermissionEscalation(permission) => permission_escalation(message, permission),
            Error::KeyBeyondCaller(permission) => refuse(ErrorCode::PermissionEscalation)
                .fix(format!("change it with a key that holds all that it holds, {} included", permission.as_str())),
            Error::KeyOutlivesCaller { .. } => refuse(ErrorCode::PermissionEscalation)
                .fix("change it with a key that works at least as long, or sign in with POST /v0/agent/sign-in"),
            Error::RoleEscalation { role, permission } => role_escalation(message, role, permission),
            Error::RoleNotAllowed { permission, owner, .. } => refuse(ErrorCode::RoleNotAllowed).fix(format!(
                "ask the owner, {owner}, or an admin to do it, or use a key of the organization that holds {}",
                permission.as_str()
            )),
            Error::OwnerProtected => refuse(ErrorCode::OwnerProtected),
            Error::MemberKeyProtected => refuse(ErrorCode::OwnerProtected).fix(
                "confirm the owner address with POST /v0/agent/verify, or use a key that POST /v0/agent/sign-in/verify returns",
            ),
            Error::NotAPerson => refuse(ErrorCode::RoleNotAllowed).fix(
                "sign in with POST /v0/agent/sign-in and use the key that POST /v0/agent/sign-in/verify returns",
            ),
            Error::NotForConnections { .. } => refuse(ErrorCode::RoleNotAllowed).fix(
                "do it as the person: sign in with POST /v0/agent/sign-in and use the key that POST /v0/agent/sign-in/verify returns",
            ),
            Error::NotTheirConnection => refuse(ErrorCode::RoleNotAllowed)
                .fix("leave out what widens it, or ask the member that granted it"),
            Error::NotTheirInbox { theirs } => refuse(ErrorCode::InboxOutOfScope).fix(to_reach(&theirs, None)),
            Error::InboxIdRequired { theirs } => inbox_id_required(message, &theirs),
            Error::OrganizationSuspended { reason } => refuse(ErrorCode::OrganizationSuspended).fix(format!(
                "read on, nothing is lost; to have the organization resumed, clear this with the operator of the server: {reason}"
            )),
            Error::InboxPaused(inbox_id) | Error::ResumeNotAllowed(inbox_id) => {
                refuse(ErrorCode::InboxPaused).fix(format!(
                    "resume it with PATCH /v0/inboxes/{inbox_id} {{\"status\": \"active\"}} and a key of the pod or organization, or as a person"
                ))
            }
            Error::InboxOutOfScope { reached } => refuse(ErrorCode::InboxOutOfScope)
                .fix(format!("ask for the inbox {reached}, or use a key of the organization")),
            Error::PodOutOfScope => refuse(ErrorCode::PodOutOfScope),
            Error::NotFound { resource, .. } => refuse(ErrorCode::NotFound).fix(where_to_look(resource)),
            Error::Invalid(errors) => invalid(errors),
            Error::TooManyToAnswer { .. } => invalid(vec![FieldError::new("reply_all", message)])
                .fix("answer some of them: leave `reply_all` out and name them as `to`, `cc` and `bcc`, with POST …/reply or in a draft"),
            Error::AccountExists(_) => refuse(ErrorCode::AccountExists),
            Error::AddressTaken(_) => refuse(ErrorCode::AddressTaken),
            Error::ClientIdSpent(_) => refuse(ErrorCode::Conflict).fix("use another client_id"),
            Error::NotTheAuthor { author } => refuse(ErrorCode::RoleNotAllowed).fix(format!(
                "leave it to {author}, an owner or an admin, or use a key of the organization without a map of permissions"
            )),
            Error::DraftSending(draft_id) => refuse(ErrorCode::DraftSending).fix(to_wait_for(draft_id)),
            Error::SendKeyReused(_) => refuse(ErrorCode::Conflict)
                .fix("send another request with a key of its own, and a repeat with the same octets"),
            Error::SendKeyInUse(_) => refuse(ErrorCode::Conflict)
                .retry(ErrorRetry::After(1))
                .fix("send the request again in a moment; it is answered the first result"),
            Error::InvitationUnverified => refuse(ErrorCode::OrganizationUnverified).fix(VERIFY),
            Error::WrongSignInCode => refuse(ErrorCode::InvalidOtp)
                .fix("send the newest code that was mailed to the address, or ask for a fresh one with POST /v0/agent/sign-in"),
            Error::SignInAttemptsExceeded => refuse(ErrorCode::AttemptsExceeded).fix(ANOTHER_CODE),
            Error::SignInPaused { until } => paused(message, until, "send the newest code that was mailed to the address"),
            Error::MailLimitReached { until, .. } => refuse(ErrorCode::TooManyRequests).retry(ErrorRetry::At(until)).fix(format!(
                "wait until {}; a code or an invitation that was mailed before still works",
                shown(until)
            )),
            Error::AlreadyVerified => refuse(ErrorCode::AlreadyVerified),
            Error::WrongCode { attempts_left: 0 } => refuse(ErrorCode::InvalidOtp)
                .fix(format!("this code can be tried no more; {FRESH_CODE}")),
            Error::WrongCode { attempts_left } => refuse(ErrorCode::InvalidOtp)
                .fix(format!("send the newest code that was mailed to the owner; {attempts_left} more may be tried")),
            Error::CodeExpired => refuse(ErrorCode::InvalidOtp)
                .fix("a fresh code was mailed to the owner; send that one with POST /v0/agent/verify"),
            Error::CodeAttemptsExceeded { until } => {
                paused(message, until, &format!("POST /v0/agent/verify mails a fresh code; or {FRESH_CODE}"))
            }
            Error::OrganizationUnverified { recipient } => {
                refuse(ErrorCode::OrganizationUnverified).fix(format!("leave {recipient} out, or {VERIFY}"))
            }
            Error::RecipientSuppressed { address, reason } => {
                refuse(ErrorCode::RecipientSuppressed).fix(format!("leave {address} out: {}", why(reason)))
            }
            Error::RecipientBlocked { recipient, list, entry } => refuse(ErrorCode::RecipientBlocked)
                .fix(format!("leave {recipient} out, or delete the entry DELETE {}", path_of_entry(&list, &entry))),
            Error::RecipientNotAllowed { recipient, list } => {
                refuse(ErrorCode::RecipientNotAllowed).fix(to_allow(&recipient, &path_of_list(&list)))
            }
            Error::AutomaticMessage { .. } => refuse(ErrorCode::AutomaticMessage),
            Error::LoopBudgetReached { until, .. } => budget_spent(message, until),
            Error::ReadOnlyEntry(_) => refuse(ErrorCode::ReadOnlyEntry),
            Error::AlreadyExists { resource, id, .. } => refuse(ErrorCode::AlreadyExists).fix(existing(resource, &id)),
            Error::CannotDelete { resource, .. } => refuse(ErrorCode::CannotDelete).fix(users_of(resource)),
            Error::DomainNotVerified { domain_id, domain } => {
                refuse(ErrorCode::DomainNotVerified).fix(to_verify(domain_id, &domain))
            }
            Error::DomainLost { .. } => refuse(ErrorCode::DomainNotVerified).fix(
                "send from another inbox; what this one has received stays readable. To have the domain back, publish the records of your own GET /v0/domains/{domain_id} and verify them with POST /v0/domains/{domain_id}/verify",
            ),
            Error::LimitReached { which, limit, verified } => limit_reached(which, limit, verified),
            Error::RowLimitReached { rows, .. } => row_limit_reached(message, rows),
            Error::UnknownEventType(_) => refuse(ErrorCode::UnknownEventType).fix(one_of_event_types()),
            Error::ReplayTooOld { kept_since } => refuse(ErrorCode::CursorExpired).fix(to_replay(kept_since)),
            Error::WebhookDisabled(webhook_id) => refuse(ErrorCode::Conflict).fix(to_enable(webhook_id)),
            Error::CursorExpired { kept_since, .. } => refuse(ErrorCode::CursorExpired).fix(to_go_on(kept_since)),
            Error::QueryRangeTooWide(_) => refuse(ErrorCode::QueryRangeTooWide),
            Error::TooLarge { limit, .. } => refuse(ErrorCode::PayloadTooLarge)
                .fix(format!("make the mail smaller than {limit} octets: fewer or smaller attachments")),
            Error::AttachmentsBusy { by_others } => {
                let code = if by_others { ErrorCode::ServiceUnavailable } else { ErrorCode::TooManyRequests };
                refuse(code).retry(ErrorRetry::After(5)).fix(
                    "send messages with attachments by URL one after the other, or send the files in `content`; repeat this request after `Retry-After`",
                )
            }
            Error::AnswerTooLarge { fitting, .. } => {
                refuse(ErrorCode::PayloadTooLarge).fix(format!("ask for fewer ids at once: {fitting} for example"))
            }
            Error::BillingNotConfigured(organization_id) => {
                let refused = refuse(ErrorCode::BillingNotConfigured);
                let known = organization_id.map(|id| refused.fix.replace("<organization_id>", &id.to_string()));
                known.into_iter().fold(refused, ApiError::fix)
            }
            Error::AlreadySubscribed => refuse(ErrorCode::Conflict)
                .fix("change the plan or cancel at the page that POST /v0/billing/portal answers; another subscription would be paid besides the first"),
            Error::NeverPaid => {
                refuse(ErrorCode::Conflict).fix("begin with POST /v0/billing/checkout, which answers a page to pay at")
            }
            Error::UnprovenNotice(_) => refuse(ErrorCode::InvalidSignature),
            Error::OAuth(error) => error.into(),
            Error::Payments(error) => error.into(),
            Error::Store(error) => error.into(),
            Error::Internal(cause) => Self::internal(cause),
        }
    }
}

impl From<OAuthError> for ApiError {
    fn from(error: OAuthError) -> Self {
        let code = match error.code {
            OAuthErrorCode::InvalidRequest => ErrorCode::InvalidRequest,
            OAuthErrorCode::InvalidClient => ErrorCode::InvalidClient,
            OAuthErrorCode::InvalidGrant => ErrorCode::InvalidGrant,
            OAuthErrorCode::UnauthorizedClient => ErrorCode::UnauthorizedClient,
            OAuthErrorCode::UnsupportedGrantType => ErrorCode::UnsupportedGrantType,
            OAuthErrorCode::UnsupportedResponseType => ErrorCode::UnsupportedResponseType,
            OAuthErrorCode::InvalidScope => ErrorCode::InvalidScope,
            OAuthErrorCode::InvalidTarget => ErrorCode::InvalidTarget,
            OAuthErrorCode::AccessDenied => ErrorCode::AccessDenied,
            OAuthErrorCode::InvalidRedirectUri => ErrorCode::InvalidRedirectUri,
            OAuthErrorCode::InvalidClientMetadata => ErrorCode::InvalidClientMetadata,
            OAuthErrorCode::ServerError => return Self::internal(error.description),
            OAuthErrorCode::TemporarilyUnavailable => {
                return Self::new(ErrorCode::ServiceUnavailable, error.description).retry(ErrorRetry::After(60));
            }
        };
        Self::new(code, error.description)
    }
}

impl From<PaymentsError> for ApiError {
    fn from(error: PaymentsError) -> Self {
        match error {
            PaymentsError::Unavailable(_) => {
                let message = "the payment provider does not answer at the moment; nothing was changed";
                Self::new(ErrorCode::ServiceUnavailable, message).retry(ErrorRetry::After(5)).with(ErrorExtra::Cause(error.to_string())).fix(
                    "send the same request again after `Retry-After`; if it stays, give the operator the `X-Request-Id` of the answer",
                )
            }
            PaymentsError::UnknownCustomer | PaymentsError::UnusableUrl(_) | PaymentsError::Refused(_) => {
                Self::internal(error.to_string())
            }
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) | StoreError::Contention | StoreError::LockTimeout => {
                Self::unavailable(error.to_string())
            }
            StoreError::Undecided(_) => Self::undecided(error.to_string()),
            StoreError::Duplicate(_) => Self::new(ErrorCode::Conflict, "the same thing was made at the same moment")
                .fix("send the request again"),
            StoreError::Failed(_) => Self::internal(error.to_string()),
        }
    }
}

/// Returns the refusal at the loop budget of an address in a thread; at `until` a message is possible again.
fn budget_spent(message: String, until: OffsetDateTime) -> ApiError {
    ApiError::new(ErrorCode::LoopBudgetReached, message).retry(ErrorRetry::At(until)).fix(format!(
        "see what the agents write to each other; wait until {}, or let a member answer by hand",
        shown(until)
    ))
}

/// Returns the refusal after too many wrong codes; at `until` the step `then` is possible.
fn paused(message: String, until: OffsetDateTime, then: &str) -> ApiError {
    let fix = format!("wait until {}; then {then}", shown(until));
    ApiError::new(ErrorCode::AttemptsExceeded, message).retry(ErrorRetry::At(until)).fix(fix)
}

fn invalid(errors: Vec<FieldError>) -> ApiError {
    let named: Vec<String> = errors.iter().take(3).map(in_words).collect();
    let more = if errors.len() > named.len() { "; and more, see errors" } else { "" };
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
        let fix = format!("leave {} out: nothing here does what it asks for", unsupported.join(", "));
        return ApiError::new(ErrorCode::UnsupportedField, message).fix(fix).with(ErrorExtra::Fields(errors));
    }
    let fix = if paths.is_empty() { "send a JSON object".to_owned() } else { format!("correct {}", paths.join(", ")) };
    ApiError::new(ErrorCode::ValidationError, message).fix(fix).with(ErrorExtra::Fields(errors))
}

/// Formats a bad field as text. The path of the whole body is empty.
fn in_words(error: &FieldError) -> String {
    if error.path.is_empty() { error.message.clone() } else { format!("{}: {}", error.path, error.message) }
}

fn permission_escalation(message: String, permission: Permission) -> ApiError {
    ApiError::new(ErrorCode::PermissionEscalation, message)
        .fix(format!("leave {0} out of `permissions`, or make the key with one that holds {0}", permission.as_str()))
}

fn role_escalation(message: String, role: Role, permission: Permission) -> ApiError {
    ApiError::new(ErrorCode::PermissionEscalation, message).fix(format!(
        "use a key that holds all that the role {role} allows, {} included, or ask the owner or an admin",
        permission.as_str()
    ))
}

fn inbox_id_required(message: String, theirs: &[InboxId]) -> ApiError {
    let missing = FieldError::new("inbox_id", "is required for a member limited to several inboxes");
    ApiError::new(ErrorCode::InboxIdRequired, message)
        .fix(format!("name {} as `inbox_id`, or ask for it at /v0/inboxes/{{inbox_id}}/…", one_of(theirs)))
        .with(ErrorExtra::Fields(vec![missing]))
}

fn to_allow(recipient: &str, path_of_list: &str) -> String {
    let body = serde_json::json!({ "entry": recipient });
    format!("leave {recipient} out, or put it on the list: POST {path_of_list} {body}")
}

fn to_verify(domain_id: Option<DomainId>, domain: &str) -> String {
    let how = match domain_id {
        Some(id) => format!(
            "publish the records that GET /v0/domains/{id} names and verify them with POST /v0/domains/{id}/verify"
        ),
        None => {
            format!("add {domain} with POST /v0/domains and verify it with POST /v0/domains/{{domain_id}}/verify")
        }
    };
    format!("leave `domain` out to use the organization's own, or {how}")
}

fn existing(resource: Resource, id: &str) -> String {
    match resource {
        Resource::Domain => format!("use it: GET /v0/domains/{id}; or delete it first with DELETE /v0/domains/{id}"),
        Resource::Member => format!("read them with GET /v0/members/{id}; change them with PATCH /v0/members/{id}"),
        _ => ErrorCode::AlreadyExists.fix().to_owned(),
    }
}

fn users_of(resource: Resource) -> &'static str {
    match resource {
        Resource::Domain => "delete its inboxes first with DELETE /v0/inboxes/{inbox_id}; GET /v0/inboxes lists them",
        Resource::Pod => {
            "delete its inboxes first with DELETE /v0/inboxes/{inbox_id}; GET /v0/pods/{pod_id}/inboxes lists them"
        }
        _ => ErrorCode::CannotDelete.fix(),
    }
}

fn one_of_event_types() -> String {
    let known: Vec<_> = EventType::ALL.iter().map(|kind| kind.as_str()).collect();
    format!("use one of {}", known.join(", "))
}

fn to_replay(kept_since: OffsetDateTime) -> String {
    format!("name a `since` from {} on", shown(kept_since))
}

fn to_wait_for(draft_id: DraftId) -> String {
    format!("wait; GET /v0/drafts/{draft_id} answers 404 when it is sent, and its state when it is not")
}

fn to_enable(webhook_id: WebhookId) -> String {
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

fn where_to_look(resource: Resource) -> &'static str {
    match resource {
        Resource::Inbox => "list the inboxes with GET /v0/inboxes",
        Resource::Message => "list the messages with GET /v0/inboxes/{inbox_id}/messages",
        Resource::Thread => "list the threads with GET /v0/inboxes/{inbox_id}/threads",
        Resource::Draft => "list the drafts with GET /v0/drafts",
        Resource::Attachment => "read the message or thread and use an attachment_id that it names",
        Resource::Download => {
            "get a fresh link with GET …/attachments/{attachment_id} or GET …/raw; links are short-lived"
        }
        Resource::Domain => "list the domains with GET /v0/domains",
        Resource::ApiKey => "list the API keys with GET /v0/api-keys",
        Resource::Connection => "list the connections with GET /v0/connections",
        Resource::Pod => "list the pods with GET /v0/pods",
        Resource::Event => "list the events with GET /v0/events, and go on from one of them",
        Resource::Note => "read the thread and use a note_id that it names",
        Resource::ListEntry => "list the entries with GET on the path of the list, without the entry",
        Resource::Member => "list the members with GET /v0/members",
        Resource::Webhook => "list the webhooks with GET /v0/webhooks",
        Resource::Organization => "use an organization_id that GET /v0/auth/me lists",
    }
}

fn why(reason: SuppressionReason) -> &'static str {
    match reason {
        SuppressionReason::Bounce => "its server refused a mail for good",
        SuppressionReason::Complaint => "its owner marked a mail as spam",
    }
}

pub(super) fn shown(time: OffsetDateTime) -> String {
    crate::views::time::format_time(time)
}

/// Returns the fix for a feed reader with a last event that is no longer stored.
fn to_go_on(kept_since: OffsetDateTime) -> String {
    let start = shown(kept_since);
    format!(
        "go on from the oldest event that GET /v0/events?ascending=true&start={start} lists, or from now without `after_event_id`"
    )
}
