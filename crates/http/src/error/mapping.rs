//! The one mapping from what the use cases refuse to what a client is told (`wire.md`, section 2).

use inboxd_core::model::{EventType, InboxId, SuppressionReason};
use inboxd_core::ports::StoreError;
use inboxd_core::{Error, FieldError, LimitReached, Mistake, Resource};
use time::OffsetDateTime;

use super::{ApiError, Code, Extra, Retry};

const VERIFY: &str = "verify the organization with POST /v0/agent/verify and the code that was mailed to the owner";

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let refuse = |code| Self::new(code, message.clone());
        match error {
            Error::UnknownApiKey => refuse(Code::UnknownApiKey),
            Error::ApiKeyExpired { at } => {
                Self::new(Code::ApiKeyExpired, format!("the API key expired at {}", shown(at)))
            }
            Error::MissingPermission(permission) => {
                let name = permission.as_str();
                refuse(Code::MissingPermission).fix(format!(
                    "use a key that holds {name}, or make one with POST /v0/api-keys and `\"permissions\": {{\"{name}\": true}}`"
                ))
            }
            Error::PermissionEscalation(permission) => refuse(Code::PermissionEscalation).fix(format!(
                "leave {0} out of `permissions`, or make the key with one that holds {0}",
                permission.as_str()
            )),
            Error::RoleNotAllowed { permission, owner, .. } => refuse(Code::RoleNotAllowed).fix(format!(
                "ask the owner, {owner}, or an admin to do it, or use a key of the organization that holds {}",
                permission.as_str()
            )),
            Error::OwnerProtected => refuse(Code::OwnerProtected),
            Error::NotAPerson => refuse(Code::RoleNotAllowed).fix(
                "sign in with POST /v0/agent/sign-in and use the key that POST /v0/agent/sign-in/verify returns",
            ),
            Error::NotTheirInbox { theirs } => refuse(Code::InboxOutOfScope).fix(format!(
                "ask for {}, or have the owner or an admin change `inbox_ids` with PATCH /v0/members/{{member_id}}",
                one_of(&theirs)
            )),
            Error::InboxIdRequired { theirs } => refuse(Code::InboxIdRequired)
                .fix(format!("name {} as `inbox_id`, or ask for it at /v0/inboxes/{{inbox_id}}/…", one_of(&theirs)))
                .with(Extra::Fields(vec![FieldError::new("inbox_id", "is required for a member limited to several inboxes")])),
            Error::InboxOutOfScope { reached } => refuse(Code::InboxOutOfScope)
                .fix(format!("ask for the inbox {reached}, or use a key of the organization")),
            Error::PodOutOfScope => refuse(Code::PodOutOfScope),
            Error::NotFound { resource, .. } => refuse(Code::NotFound).fix(where_to_look(resource)),
            Error::Invalid(errors) => invalid(errors),
            Error::AccountExists(_) => refuse(Code::AccountExists),
            Error::AddressTaken(_) => refuse(Code::AddressTaken),
            Error::ClientIdSpent(_) => refuse(Code::Conflict).fix("use another client_id"),
            Error::InvitationUnverified => refuse(Code::OrganizationUnverified).fix(VERIFY),
            Error::WrongSignInCode => refuse(Code::InvalidOtp)
                .fix("send the newest code that was mailed to the address, or ask for a fresh one with POST /v0/agent/sign-in"),
            Error::SignInAttemptsExceeded => {
                refuse(Code::AttemptsExceeded).fix("ask for a fresh code with POST /v0/agent/sign-in")
            }
            Error::AlreadyVerified => refuse(Code::AlreadyVerified),
            Error::WrongCode { attempts_left } => refuse(Code::InvalidOtp)
                .fix(format!("send the newest code that was mailed to the owner; {attempts_left} more may be tried")),
            Error::CodeExpired => refuse(Code::InvalidOtp)
                .fix("a fresh code was mailed to the owner; send that one with POST /v0/agent/verify"),
            Error::CodeAttemptsExceeded { until } => refuse(Code::AttemptsExceeded)
                .retry(Retry::At(until))
                .fix(format!("wait until {}; then POST /v0/agent/verify mails a fresh code", shown(until))),
            Error::OrganizationUnverified { recipient } => {
                refuse(Code::OrganizationUnverified).fix(format!("leave {recipient} out, or {VERIFY}"))
            }
            Error::RecipientSuppressed { address, reason } => {
                refuse(Code::RecipientSuppressed).fix(format!("leave {address} out: {}", why(reason)))
            }
            Error::AlreadyExists { resource, id, .. } => refuse(Code::AlreadyExists).fix(existing(resource, &id)),
            Error::CannotDelete { resource, .. } => refuse(Code::CannotDelete).fix(users_of(resource)),
            Error::DomainNotVerified { domain_id, domain } => {
                let how = match domain_id {
                    Some(id) => format!(
                        "publish the records that GET /v0/domains/{id} names and verify them with POST /v0/domains/{id}/verify"
                    ),
                    None => format!(
                        "add {domain} with POST /v0/domains and verify it with POST /v0/domains/{{domain_id}}/verify"
                    ),
                };
                refuse(Code::DomainNotVerified)
                    .fix(format!("leave `domain` out to use the organization's own, or {how}"))
            }
            Error::LimitReached { which, limit, verified } => limit_reached(which, limit, verified),
            Error::UnknownEventType(_) => {
                let known: Vec<_> = EventType::ALL.iter().map(|kind| kind.as_str()).collect();
                refuse(Code::UnknownEventType).fix(format!("use one of {}", known.join(", ")))
            }
            Error::TooLarge { limit, .. } => refuse(Code::PayloadTooLarge)
                .fix(format!("make the mail smaller than {limit} octets: fewer or smaller attachments")),
            Error::AnswerTooLarge { fitting, .. } => {
                refuse(Code::PayloadTooLarge).fix(format!("ask for fewer ids at once: {fitting} for example"))
            }
            Error::Store(error) => error.into(),
            Error::Internal(cause) => Self::internal(cause),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) | StoreError::Contention => Self::unavailable(error.to_string()),
            StoreError::Duplicate(_) => {
                Self::new(Code::Conflict, "the same thing was made at the same moment").fix("send the request again")
            }
            StoreError::Failed(_) => Self::internal(error.to_string()),
        }
    }
}

fn invalid(errors: Vec<FieldError>) -> ApiError {
    let named: Vec<String> = errors.iter().take(3).map(in_words).collect();
    let more = if errors.len() > named.len() { "; and more, see errors" } else { "" };
    let message = format!("{}{more}", named.join("; "));
    let paths: Vec<&str> =
        errors.iter().map(|error| error.path.as_str()).filter(|path| !path.is_empty()).take(10).collect();
    let is_system_label = |error: &&FieldError| error.mistake == Mistake::SystemLabel;
    if let Some(label) = errors.iter().find(is_system_label) {
        let fix = format!("leave {} out; use labels of your own", label.path);
        return ApiError::new(Code::SystemLabel, message).fix(fix).with(Extra::Fields(errors));
    }
    let fix = if paths.is_empty() { "send a JSON object".to_owned() } else { format!("correct {}", paths.join(", ")) };
    ApiError::new(Code::ValidationError, message).fix(fix).with(Extra::Fields(errors))
}

/// A bad field in a sentence. Where the body as a whole is bad, its path is empty.
fn in_words(error: &FieldError) -> String {
    if error.path.is_empty() { error.message.clone() } else { format!("{}: {}", error.path, error.message) }
}

fn limit_reached(which: LimitReached, limit: u64, verified: bool) -> ApiError {
    let or_raise = if verified { "raise the plan" } else { VERIFY };
    match which {
        LimitReached::Inboxes => {
            ApiError::new(Code::InboxLimitReached, format!("all {limit} inboxes of the plan are in use"))
                .retry(Retry::After(1))
                .fix(format!("delete one with DELETE /v0/inboxes/{{inbox_id}}, or {or_raise}"))
        }
        LimitReached::Domains if !verified => {
            ApiError::new(Code::DomainLimitReached, "an unverified organization has no custom domains")
                .retry(Retry::After(1))
                .fix(VERIFY)
        }
        LimitReached::Domains => {
            ApiError::new(Code::DomainLimitReached, format!("all {limit} domains of the plan are in use"))
                .retry(Retry::After(1))
                .fix(format!("delete one with DELETE /v0/domains/{{domain_id}}, or {or_raise}"))
        }
        LimitReached::Members => {
            ApiError::new(Code::MemberLimitReached, format!("all {limit} members of the plan are there or invited"))
                .retry(Retry::After(1))
                .fix(format!("remove one with DELETE /v0/members/{{member_id}}, or {or_raise}"))
        }
        LimitReached::Daily { resets_at } => {
            ApiError::new(Code::DailyLimitReached, format!("all {limit} mails of today are sent"))
                .retry(Retry::At(resets_at))
                .fix(format!("wait until {}, or {or_raise}", shown(resets_at)))
        }
        LimitReached::Monthly { resets_at } => {
            ApiError::new(Code::MonthlyLimitReached, format!("all {limit} mails of this month are sent"))
                .retry(Retry::At(resets_at))
                .fix(format!("wait until {}, or {or_raise}", shown(resets_at)))
        }
        LimitReached::Storage => {
            ApiError::new(Code::StorageLimitReached, format!("live messages take all {limit} octets of the plan"))
                .fix(format!("delete messages or threads, which frees their storage at once, or {or_raise}"))
        }
    }
}

fn existing(resource: Resource, id: &str) -> String {
    match resource {
        Resource::Domain => format!("use it: GET /v0/domains/{id}; or delete it first with DELETE /v0/domains/{id}"),
        Resource::Member => format!("read them with GET /v0/members/{id}; change them with PATCH /v0/members/{id}"),
        _ => Code::AlreadyExists.fix().to_owned(),
    }
}

fn users_of(resource: Resource) -> &'static str {
    match resource {
        Resource::Domain => "delete its inboxes first with DELETE /v0/inboxes/{inbox_id}; GET /v0/inboxes lists them",
        _ => Code::CannotDelete.fix(),
    }
}

/// A few inboxes in words.
fn one_of(inbox_ids: &[InboxId]) -> String {
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
        Resource::Attachment => "read the message or thread and use an attachment_id that it names",
        Resource::Download => {
            "get a fresh link with GET …/attachments/{attachment_id} or GET …/raw; links are short-lived"
        }
        Resource::Domain => "list the domains with GET /v0/domains",
        Resource::ApiKey => "list the API keys with GET /v0/api-keys",
        Resource::Member => "list the members with GET /v0/members",
        Resource::Organization => "leave `organization_id` out, or use one that GET /v0/auth/me lists",
    }
}

fn why(reason: SuppressionReason) -> &'static str {
    match reason {
        SuppressionReason::Bounce => "its server refused a mail for good",
        SuppressionReason::Complaint => "its owner marked a mail as spam",
    }
}

fn shown(time: OffsetDateTime) -> String {
    crate::views::time::shown(time)
}
