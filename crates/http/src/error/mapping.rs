//! Mapping of core errors to API errors (`wire.md`, section 2).

use inboxd_core::model::{OAuthError, OAuthErrorCode};
use inboxd_core::ports::{PaymentsError, StoreError};
use inboxd_core::{
    AbsentFeature, AttachmentTextRefusal, BillingError, BrakeRefusal, CalendarRefusal, CodeRefusal, Error, FieldError,
    LoopRefusal, PolicyError, QuarantineRefusal, RedactionRefusal, SignUpRefusal,
};

use super::caller::{to_hold, to_reach};
use super::fixes::{
    budget_spent, existing, inbox_id_required, invalid, one_of_event_types, paused, permission_escalation,
    role_escalation, shown, to_allow, to_enable, to_go_on, to_replay, to_verify, to_wait_for, users_of, where_to_look,
    why,
};
use super::limits::{limit_reached, row_limit_reached};
use super::{ApiError, ErrorCode, ErrorExtra, ErrorRetry};
use crate::list_path::{path_of_entry, path_of_list};

pub(super) const VERIFY: &str =
    "verify the organization with POST /v0/agent/verify and the code that was mailed to the owner";
/// Fix for an organization that signed up without an owner address.
const NAME_OWNER: &str = "without an owner address, name one with POST /v0/agent/human first";
/// Fix for the key of a sign-up before the owner address is confirmed.
const CONFIRM: &str =
    "confirm the owner address with POST /v0/agent/verify, or use a key that POST /v0/agent/sign-in/verify returns";
/// Fix for what no connection may do.
pub(super) const AS_PERSON: &str = "do it as the person: sign in with POST /v0/agent/sign-in and use the key that POST /v0/agent/sign-in/verify returns";
/// Fix for a permission that only a person holds without a map.
pub(super) const TO_OPT_IN: &str =
    "sign in as the owner or an admin with POST /v0/agent/sign-in, and create a key that names it";
/// Fix for a sign-in code that is no longer usable.
const ANOTHER_CODE: &str = "request a new code with POST /v0/agent/sign-in; if none is mailed after several requests, try again after five minutes";
/// Fix with which an owner gets a new code for their organization at once.
const FRESH_CODE: &str = "sign in as the owner with POST /v0/agent/sign-in and POST /v0/agent/sign-in/verify, which mails a new code for POST /v0/agent/verify at once";

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
                .fix(format!("change it with a key that holds all of its permissions, {} included", permission.as_str())),
            Error::KeyOutlivesCaller { .. } => refuse(ErrorCode::PermissionEscalation)
                .fix("change it with a key that is valid at least as long, or sign in with POST /v0/agent/sign-in"),
            Error::RoleEscalation { role, permission } => role_escalation(message, role, permission),
            Error::RoleNotAllowed { permission, owner, .. } => refuse(ErrorCode::RoleNotAllowed).fix(format!(
                "ask the owner, {owner}, or an admin, or use a key of the organization that holds {}",
                permission.as_str()
            )),
            Error::OwnerProtected => refuse(ErrorCode::OwnerProtected),
            Error::MemberKeyProtected | Error::MemberConnectionProtected => {
                refuse(ErrorCode::OwnerProtected).fix(CONFIRM)
            }
            Error::NotAPerson => refuse(ErrorCode::RoleNotAllowed).fix(
                "sign in with POST /v0/agent/sign-in and use the key that POST /v0/agent/sign-in/verify returns",
            ),
            Error::NotForConnections | Error::Policy(PolicyError::PersonRequired) => {
                refuse(ErrorCode::RoleNotAllowed).fix(AS_PERSON)
            }
            Error::Policy(PolicyError::OwnApproval) => {
                refuse(ErrorCode::RoleNotAllowed).fix("ask another member to approve or reject it")
            }
            Error::Policy(PolicyError::NotAwaitingApproval(_)) => refuse(ErrorCode::NotAwaitingApproval),
            Error::Policy(PolicyError::Refused(_)) => refuse(ErrorCode::PolicyRefused),
            Error::Policy(PolicyError::AuthorRevoked(_)) => refuse(ErrorCode::PolicyRefused)
                .fix("read the draft and send it in the console, which takes its content as yours, or write it again"),
            Error::Policy(PolicyError::FreeVerdictLimitReached { until }) => refuse(ErrorCode::TooManyRequests)
                .retry(ErrorRetry::At(until))
                .fix(format!("wait until {}, then ask again", shown(until))),
            Error::NotTheirConnection => refuse(ErrorCode::RoleNotAllowed)
                .fix("leave out what widens it, or ask the member that granted it"),
            Error::NotTheirInbox { theirs } => refuse(ErrorCode::InboxOutOfScope).fix(to_reach(&theirs, None)),
            Error::InboxIdRequired { theirs } => inbox_id_required(message, &theirs),
            Error::OrganizationSuspended { reason } => refuse(ErrorCode::OrganizationSuspended).fix(format!(
                "reading still works and nothing is lost; to resume the organization, clear this with the operator of the server: {reason}"
            )),
            Error::Brake(BrakeRefusal::Held { .. }) => refuse(ErrorCode::SendingHeld),
            Error::Brake(BrakeRefusal::Slowed { resets_at, .. }) => {
                refuse(ErrorCode::SendingSlowed).retry(ErrorRetry::At(resets_at))
            }
            Error::InboxPaused(inbox_id) | Error::ResumeNotAllowed(inbox_id) => {
                refuse(ErrorCode::InboxPaused).fix(format!(
                    "resume it with PATCH /v0/inboxes/{inbox_id} {{\"status\": \"active\"}} and a key of the pod, the organization or a member"
                ))
            }
            Error::LegalHold(inbox_id) => refuse(ErrorCode::LegalHold).fix(format!(
                "leave it as it is, or ask an owner or admin to end the hold with PATCH {}/legal-hold",
                inbox_id.map_or_else(|| "/v0".to_owned(), |inbox_id| format!("/v0/inboxes/{inbox_id}"))
            )),
            Error::InboxOutOfScope { reached } => refuse(ErrorCode::InboxOutOfScope)
                .fix(format!("use the inbox {reached}, or a key of the organization")),
            Error::PodOutOfScope => refuse(ErrorCode::PodOutOfScope),
            Error::NotFound { resource, .. } => refuse(ErrorCode::NotFound).fix(where_to_look(resource)),
            Error::Invalid(errors) => invalid(errors),
            Error::TooManyToAnswer { .. } => invalid(vec![FieldError::new("reply_all", message)])
                .fix("reply to some of them: leave `reply_all` out and name them as `to`, `cc` and `bcc`, with POST …/reply or in a draft"),
            Error::AccountExists(_) => refuse(ErrorCode::AccountExists),
            Error::AddressTaken(_) => refuse(ErrorCode::AddressTaken),
            Error::ClientIdSpent(_) => refuse(ErrorCode::Conflict).fix("use another client_id"),
            Error::NotTheAuthor { author } => refuse(ErrorCode::RoleNotAllowed).fix(format!(
                "ask {author}, an owner or an admin to delete it, or use a key of the organization without a map of permissions"
            )),
            Error::Quarantine(refusal) => refuse(ErrorCode::Conflict).fix(match refusal {
                QuarantineRefusal::NotHeld(_) => "release only a message with the label held",
                QuarantineRefusal::Released(_) => "no action is needed: the message has `agent_armor.manual_override`",
                QuarantineRefusal::NotJudged(_) => "give feedback on a message with `agent_armor`",
                QuarantineRefusal::FeedbackFull { .. } => "no action is possible; give feedback on other messages",
            }),
            Error::SignUp(refusal) => sign_up_refused(message, &refusal),
            Error::NotOffered(feature) => refuse(ErrorCode::NotOffered).fix(match feature {
                AbsentFeature::AppSignIn => "sign in at the app by other means, such as a code that it mails to the inbox",
                AbsentFeature::Labs => "no action is needed: every feature of this service is on for every organization",
            }),
            Error::Calendar(refusal) => match refusal {
                CalendarRefusal::NotAnInvitation(_) => refuse(ErrorCode::Conflict)
                    .fix("answer a received message whose `calendar` has the method `request` and an organizer"),
                CalendarRefusal::NotAnswerable(_) => refuse(ErrorCode::Conflict)
                    .fix("respond to an event whose `source` is `email` and that has an `organizer_email`"),
                CalendarRefusal::NotOrganizer { .. } => refuse(ErrorCode::Conflict)
                    .fix("leave out `send_invites`; only the organizer writes to the attendees"),
                CalendarRefusal::HasChangedDates(_) => refuse(ErrorCode::Conflict)
                    .fix("end the recurrence with an UNTIL or COUNT in its `rule`, or delete the event"),
                CalendarRefusal::Changed(_) => refuse(ErrorCode::Conflict).fix("send the request again"),
                CalendarRefusal::Stale { .. } => refuse(ErrorCode::PreconditionFailed),
                CalendarRefusal::ClientIdReused(_) => refuse(ErrorCode::Conflict)
                    .fix("choose another client_id; the same one returns its event only for the same body"),
                CalendarRefusal::NotInvited(_) => refuse(ErrorCode::Conflict)
                    .fix("answer from an inbox that `calendar.attendees` names, or write to the organizer"),
                CalendarRefusal::OrganizerElsewhere { .. } => refuse(ErrorCode::ReplyToElsewhere)
                    .fix("send the same body with `\"confirm_organizer\": true` if the answer may go there"),
            },
            Error::DraftSending(draft_id) => refuse(ErrorCode::DraftSending).fix(to_wait_for(draft_id)),
            Error::MessageLeft(_) => refuse(ErrorCode::MessageSent),
            Error::Redaction(refusal) => match refusal {
                RedactionRefusal::Delayed(_) => refuse(ErrorCode::Conflict)
                    .fix("cancel it with POST …/messages/{message_id}/cancel and delete its draft"),
                RedactionRefusal::Queued(_) => refuse(ErrorCode::Conflict).fix(
                    "repeat it once the message is delivered or bounced, after 72 hours at the latest; GET …/trace shows its attempts. Only a send with `send_at` or `undo_seconds` can be cancelled before it leaves",
                ),
                RedactionRefusal::Redacted(_) => refuse(ErrorCode::NotFound).fix(
                    "no action brings it back; GET …/messages/{message_id} returns what is left, with `redacted_at`",
                ),
            },
            Error::AttachmentText(refusal) => refuse(match refusal {
                AttachmentTextRefusal::Unsupported | AttachmentTextRefusal::NoText => ErrorCode::TextUnsupported,
                AttachmentTextRefusal::Encrypted => ErrorCode::TextEncrypted,
                AttachmentTextRefusal::TooLarge => ErrorCode::TextTooLarge,
                AttachmentTextRefusal::TimedOut => ErrorCode::TextTimedOut,
                AttachmentTextRefusal::Failed => ErrorCode::TextFailed,
            }),
            Error::DraftChanged(_) => refuse(ErrorCode::Conflict).fix("read the draft again and repeat the change"),
            Error::SendKeyReused(_) => refuse(ErrorCode::Conflict)
                .fix("use a new key for another request; a repeat must have the same bytes"),
            Error::SendKeyInUse(_) => refuse(ErrorCode::Conflict)
                .retry(ErrorRetry::After(1))
                .fix("send the request again after `Retry-After`; it returns the first result"),
            Error::FileNotUploaded(_) => refuse(ErrorCode::Conflict)
                .fix("PUT the bytes to the `url` of `upload`; the same POST …/files again returns a new one"),
            Error::FilesUnverified | Error::InvitationUnverified => {
                refuse(ErrorCode::OrganizationUnverified).fix(VERIFY)
            }
            Error::Code(CodeRefusal::WrongSignIn) => refuse(ErrorCode::InvalidOtp)
                .fix("send the newest code that was mailed to the address, or request a new one with POST /v0/agent/sign-in"),
            Error::Code(CodeRefusal::SignInAttemptsExceeded) => refuse(ErrorCode::AttemptsExceeded).fix(ANOTHER_CODE),
            Error::Code(CodeRefusal::SignInPaused { until }) => paused(message, until, "send the newest code that was mailed to the address"),
            Error::MailLimitReached { until, .. } => refuse(ErrorCode::TooManyRequests).retry(ErrorRetry::At(until)).fix(format!(
                "wait until {}; codes and invitations that were mailed before remain valid",
                shown(until)
            )),
            Error::OwnerMailLimitReached(until) => refuse(ErrorCode::TooManyRequests)
                .retry(ErrorRetry::At(until))
                .fix(format!("verify the organization with POST /v0/agent/verify, or wait until {}", shown(until))),
            Error::FetchLimitReached { until } => refuse(ErrorCode::TooManyRequests)
                .retry(ErrorRetry::At(until))
                .fix(format!("wait until {}, then connect the app again", shown(until))),
            Error::AlreadyVerified => refuse(ErrorCode::AlreadyVerified),
            Error::Code(CodeRefusal::Wrong { attempts_left: 0 }) => refuse(ErrorCode::InvalidOtp)
                .fix(format!("this code has no attempts left; {FRESH_CODE}")),
            Error::Code(CodeRefusal::Wrong { attempts_left }) => refuse(ErrorCode::InvalidOtp)
                .fix(format!("send the newest code that was mailed to the owner; {attempts_left} attempts remain")),
            Error::Code(CodeRefusal::Expired) => refuse(ErrorCode::InvalidOtp)
                .fix("a new code was mailed to the owner; send it with POST /v0/agent/verify"),
            Error::Code(CodeRefusal::AttemptsExceeded { until }) => {
                paused(message, until, &format!("POST /v0/agent/verify mails a new code; or {FRESH_CODE}"))
            }
            Error::OrganizationUnverified { recipient } => {
                refuse(ErrorCode::OrganizationUnverified).fix(format!("leave {recipient} out, or {VERIFY}; {NAME_OWNER}"))
            }
            Error::RecipientSuppressed { address, reason } => {
                refuse(ErrorCode::RecipientSuppressed).fix(format!("leave {address} out: {}", why(reason)))
            }
            Error::RecipientBlocked { recipient, list, entry } => refuse(ErrorCode::RecipientBlocked)
                .fix(format!("leave {recipient} out, or delete the entry DELETE {}", path_of_entry(&list, &entry))),
            Error::RecipientNotAllowed { recipient, list } => {
                refuse(ErrorCode::RecipientNotAllowed).fix(to_allow(&recipient, &path_of_list(&list)))
            }
            Error::Loop(LoopRefusal::Automatic { .. }) => refuse(ErrorCode::AutomaticMessage),
            Error::Loop(LoopRefusal::ReplyToElsewhere { .. }) => refuse(ErrorCode::ReplyToElsewhere),
            Error::Loop(LoopRefusal::BudgetReached { until, .. } | LoopRefusal::HourlyBudgetReached { until, .. }) => {
                budget_spent(message, until)
            }
            Error::ReadOnlyEntry(_) => refuse(ErrorCode::ReadOnlyEntry),
            Error::AlreadyExists { resource, id, .. } => refuse(ErrorCode::AlreadyExists).fix(existing(resource, &id)),
            Error::CannotDelete { resource, .. } => refuse(ErrorCode::CannotDelete).fix(users_of(resource)),
            Error::DomainNotVerified { domain_id, domain } => {
                refuse(ErrorCode::DomainNotVerified).fix(to_verify(domain_id, &domain))
            }
            Error::DomainLost { .. } => refuse(ErrorCode::DomainNotVerified).fix(
                "send from another inbox; received messages of this inbox remain readable. To recover the domain, publish the records that GET /v0/domains/{domain_id} lists and verify them with POST /v0/domains/{domain_id}/verify",
            ),
            Error::LimitReached { which, limit, verified } => limit_reached(which, limit, verified),
            Error::RowLimitReached { rows, .. } => row_limit_reached(message, rows),
            Error::UnknownEventType(_) => refuse(ErrorCode::UnknownEventType).fix(one_of_event_types()),
            Error::ReplayTooOld(kept_since) => refuse(ErrorCode::CursorExpired).fix(to_replay(kept_since)),
            Error::WebhookDisabled(webhook_id) => refuse(ErrorCode::Conflict).fix(to_enable(webhook_id)),
            Error::CursorExpired { kept_since, .. } => refuse(ErrorCode::CursorExpired).fix(to_go_on(kept_since)),
            Error::QueryRangeTooWide(_) => refuse(ErrorCode::QueryRangeTooWide),
            Error::TooLarge { limit, .. } => refuse(ErrorCode::PayloadTooLarge)
                .fix(format!("reduce the message to at most {limit} bytes, for example with fewer or smaller attachments")),
            Error::AttachmentsBusy { by_others } => {
                let code = if by_others { ErrorCode::ServiceUnavailable } else { ErrorCode::TooManyRequests };
                refuse(code).retry(ErrorRetry::After(5)).fix(
                    "send messages with attachments by URL or `file_id` one at a time, or send the files in `content`; repeat this request after `Retry-After`",
                )
            }
            Error::AnswerTooLarge { fitting, .. } => {
                refuse(ErrorCode::PayloadTooLarge).fix(format!("request fewer ids at once: {fitting} for example"))
            }
            Error::OAuth(error) => error.into(),
            Error::Billing(error) => error.into(),
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

impl From<BillingError> for ApiError {
    fn from(error: BillingError) -> Self {
        let refuse = |code| Self::new(code, error.to_string());
        match &error {
            BillingError::NotConfigured(organization_id) => {
                let refused = refuse(ErrorCode::BillingNotConfigured);
                let known = organization_id.map(|id| refused.fix.replace("<organization_id>", &id.to_string()));
                known.into_iter().fold(refused, ApiError::fix)
            }
            BillingError::AlreadySubscribed => refuse(ErrorCode::Conflict)
                .fix("change or cancel the plan on the page that POST /v0/billing/portal returns; a second subscription would be charged in addition"),
            BillingError::NeverPaid => {
                refuse(ErrorCode::Conflict).fix("start with POST /v0/billing/checkout, which returns a checkout page")
            }
            BillingError::UnprovenNotice(_) => refuse(ErrorCode::InvalidSignature),
            BillingError::Provider(error) => error.into(),
        }
    }
}

impl From<&PaymentsError> for ApiError {
    fn from(error: &PaymentsError) -> Self {
        match error {
            PaymentsError::Unavailable(_) => {
                let message = "the payment provider is unavailable; nothing was changed";
                Self::new(ErrorCode::ServiceUnavailable, message).retry(ErrorRetry::After(5)).with(ErrorExtra::Cause(error.to_string())).fix(
                    "send the same request again after `Retry-After`; if the error persists, give the operator the `X-Request-Id` of the response",
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
            StoreError::ContentUnavailable(_) => Self::content_unavailable(error.to_string()),
            StoreError::ContentLost(_) => Self::new(ErrorCode::ContentLost, "the content is lost; tell the operator")
                .with(ErrorExtra::Cause(error.to_string())),
            StoreError::Undecided(_) => Self::undecided(error.to_string()),
            StoreError::Duplicate(_) => {
                Self::new(ErrorCode::Conflict, "a concurrent request created the same resource")
                    .fix("send the request again")
            }
            StoreError::Failed(_) => Self::internal(error.to_string()),
        }
    }
}

fn sign_up_refused(message: String, refusal: &SignUpRefusal) -> ApiError {
    let refuse = |code| ApiError::new(code, message);
    match refusal {
        SignUpRefusal::Closed => refuse(ErrorCode::SignUpClosed)
            .fix("ask a member of an organization for an invitation, and sign in with POST /v0/agent/sign-in"),
        SignUpRefusal::InvitationRequired | SignUpRefusal::InvitationInvalid => refuse(ErrorCode::SignUpClosed),
        SignUpRefusal::TooManyOwnerless { until } => refuse(ErrorCode::TooManyRequests)
            .retry(ErrorRetry::At(*until))
            .fix(format!("name the owner in `human_email`, or wait until {}", shown(*until))),
        SignUpRefusal::OwnerMissing => refuse(ErrorCode::Conflict).fix(NAME_OWNER),
        SignUpRefusal::OwnerChangesSpent { .. } => refuse(ErrorCode::Conflict)
            .fix("confirm the present owner address with POST /v0/agent/verify, or sign up again"),
    }
}
