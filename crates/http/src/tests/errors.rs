//! Complete mapping of errors in one snapshot.

use std::collections::BTreeSet;
use std::time::Duration;

use actix_web::body::to_bytes;
use actix_web::http::Method;
use inboxd_core::app::BudgetReached;
use inboxd_core::model::{
    DomainId, EntryName, ListDirection, ListKey, ListLevel, ListType, MemberId, OAuthError, OAuthErrorCode, Permission,
    PolicyAction, PolicyLevel, PolicyRule, PolicyVerdict, Role, SuppressionReason,
};
use inboxd_core::ports::{Constraint, PaymentsError, StoreError};
use inboxd_core::testing::fixtures;
use inboxd_core::{
    AbsentFeature, AttachmentTextRefusal, BillingError, BrakeRefusal, CalendarRefusal, CodeRefusal, Error, FieldError,
    LimitReached, LimitedRows, LoopRefusal, PolicyError, QuarantineRefusal, RedactionRefusal, Resource, SignUpRefusal,
};
use serde_json::Value;
use time::OffsetDateTime;

use crate::error::{ApiError, ErrorCode, render};

fn limit(which: LimitReached, verified: bool) -> Error {
    Error::LimitReached { which, limit: 3, verified }
}

fn list(level: ListLevel, list_type: ListType) -> ListKey {
    ListKey { organization_id: fixtures::id(1), level, direction: ListDirection::Send, list_type }
}

/// A time with fractional seconds.
fn soon() -> OffsetDateTime {
    fixtures::NOW + time::Duration::milliseconds(3_599_001)
}

/// Every kind of missing resource.
fn every_resource() -> Vec<Resource> {
    vec![
        Resource::Inbox,
        Resource::Message,
        Resource::Thread,
        Resource::Draft,
        Resource::Attachment,
        Resource::Download,
        Resource::ApprovalLink,
        Resource::ApiKey,
        Resource::Domain,
        Resource::Organization,
        Resource::Pod,
        Resource::Note,
        Resource::ListEntry,
        Resource::Member,
        Resource::Webhook,
        Resource::Event,
        Resource::Connection,
        Resource::Contact,
        Resource::CalendarEvent,
        Resource::File,
        Resource::Upload,
        Resource::CalendarFeed,
        Resource::Policy,
        Resource::App,
        Resource::Account,
    ]
}

/// Refusals for recipients, for plan limits, and for payments.
fn every_refusal_of_recipients_and_plans() -> Vec<Error> {
    let soon = soon();
    vec![
        Error::OrganizationUnverified { recipient: "anna@example.org".to_owned() },
        Error::RecipientSuppressed { address: "anna@example.org".to_owned(), reason: SuppressionReason::Bounce },
        Error::RecipientSuppressed { address: "anna@example.org".to_owned(), reason: SuppressionReason::Complaint },
        Error::RecipientBlocked {
            recipient: "Anna@mail.example.org".to_owned(),
            list: list(ListLevel::Pod(fixtures::id(2)), ListType::Block),
            entry: EntryName::stored("example.org".to_owned()),
        },
        Error::RecipientNotAllowed {
            recipient: "anna@example.org".to_owned(),
            list: list(ListLevel::Organization, ListType::Allow),
        },
        limit(LimitReached::Inboxes, true),
        limit(LimitReached::Inboxes, false),
        limit(LimitReached::Domains, true),
        limit(LimitReached::Domains, false),
        limit(LimitReached::Members, true),
        limit(LimitReached::Daily { resets_at: soon }, true),
        limit(LimitReached::Monthly { resets_at: soon }, false),
        Error::Loop(LoopRefusal::BudgetReached { recipient: "anna@example.org".to_owned(), until: soon }),
        Error::Loop(LoopRefusal::HourlyBudgetReached {
            recipient: "anna@example.org".to_owned(),
            budget: 100,
            until: soon,
        }),
        Error::Loop(LoopRefusal::ReplyToElsewhere { address: "x@elsewhere.example".to_owned() }),
        Error::Loop(LoopRefusal::Automatic { sign: "Auto-Submitted: auto-replied".to_owned() }),
        limit(LimitReached::Pods, true),
        limit(LimitReached::Webhooks, true),
        limit(LimitReached::Webhooks, false),
        limit(LimitReached::Storage, true),
        Error::LimitReached { which: LimitReached::Inboxes, limit: 1, verified: true },
        Error::RowLimitReached { rows: LimitedRows::Drafts, limit: 3 },
        Error::RowLimitReached { rows: LimitedRows::Notes, limit: 3 },
        Error::RowLimitReached { rows: LimitedRows::ListEntries, limit: 3 },
        Error::RowLimitReached { rows: LimitedRows::Changes { resets_at: soon }, limit: 3 },
        Error::RowLimitReached { rows: LimitedRows::Files, limit: 3 },
        Error::RowLimitReached { rows: LimitedRows::ApiKeys, limit: 3 },
        Error::RowLimitReached { rows: LimitedRows::PollingWebhooks, limit: 3 },
        Error::RowLimitReached { rows: LimitedRows::PendingInvitations, limit: 3 },
        Error::RowLimitReached { rows: LimitedRows::Creations { resets_at: soon }, limit: 3 },
        Error::Invalid(vec![FieldError::unsupported("track_opens", "false")]),
        Error::CursorExpired { event_id: fixtures::id(5), kept_since: fixtures::NOW },
        Error::SignUp(SignUpRefusal::Closed),
        Error::SignUp(SignUpRefusal::InvitationRequired),
        Error::SignUp(SignUpRefusal::InvitationInvalid),
        Error::SignUp(SignUpRefusal::TooManyOwnerless { until: soon }),
        Error::SignUp(SignUpRefusal::OwnerMissing),
        Error::SignUp(SignUpRefusal::OwnerChangesSpent { limit: 2 }),
        Error::NotOffered(AbsentFeature::AppSignIn),
        Error::NotOffered(AbsentFeature::Labs),
        Error::Billing(BillingError::NotConfigured(Some(fixtures::id(1)))),
        Error::Billing(BillingError::NotConfigured(None)),
        Error::Billing(BillingError::AlreadySubscribed),
        Error::Billing(BillingError::NeverPaid),
        Error::Billing(BillingError::UnprovenNotice("the signature was made more than 5 minutes from now".to_owned())),
        Error::Billing(BillingError::Provider(PaymentsError::Unavailable("a secret".to_owned()))),
        Error::Billing(BillingError::Provider(PaymentsError::Refused("a secret".to_owned()))),
    ]
}

/// One of every error of the use cases and of this crate.
#[expect(clippy::too_many_lines, reason = "one line per refusal")]
fn every_refusal() -> Vec<ApiError> {
    let resources = every_resource();
    let of_core = vec![
        Error::UnknownApiKey,
        Error::ApiKeyExpired { at: fixtures::NOW },
        Error::MissingPermission(Permission::MessageSend),
        Error::PermissionEscalation(Permission::InboxCreate),
        Error::RoleEscalation { role: Role::Admin, permission: Permission::ApiKeyCreate },
        Error::RoleNotAllowed {
            role: Role::Member,
            permission: Permission::ApiKeyCreate,
            owner: "owner@example.org".to_owned(),
        },
        Error::Brake(BrakeRefusal::Held { reason: "12 of 100 messages bounced".to_owned() }),
        Error::Brake(BrakeRefusal::Slowed { reason: "6 of 100 messages bounced".to_owned(), resets_at: soon() }),
        Error::OrganizationSuspended { reason: "unpaid invoice 17".to_owned() },
        Error::InboxPaused(fixtures::inbox().inbox_id),
        Error::ResumeNotAllowed(fixtures::inbox().inbox_id),
        Error::LegalHold(Some(fixtures::inbox().inbox_id)),
        Error::LegalHold(None),
        Error::OwnerProtected,
        Error::MemberKeyProtected,
        Error::NotAPerson,
        Error::NotTheirInbox { theirs: vec![fixtures::inbox().inbox_id] },
        Error::InboxIdRequired { theirs: vec![fixtures::inbox().inbox_id, fixtures::inbox_id("other@inboxd.example")] },
        Error::InboxOutOfScope { reached: fixtures::inbox().inbox_id },
        Error::PodOutOfScope,
        Error::Invalid(vec![FieldError::new("to[1]", "is no address"), FieldError::new("text", "holds a NUL")]),
        Error::Invalid(vec![
            FieldError::new("add_labels[0]", "a label has 1 to 64 characters"),
            FieldError::system_label("add_labels[1]", "received"),
        ]),
        Error::TooManyToAnswer { count: 51, most: 50 },
        Error::AccountExists("owner@example.org".to_owned()),
        Error::AddressTaken("scout@inboxd.example".to_owned()),
        Error::ClientIdSpent("one".to_owned()),
        Error::CannotDelete {
            resource: Resource::Pod,
            name: "Acme".to_owned(),
            used_by: "2 of its inboxes are live".to_owned(),
        },
        Error::NotTheAuthor { author: "reader".to_owned() },
        Error::SendKeyReused("one".to_owned()),
        Error::SendKeyInUse("one".to_owned()),
        Error::AttachmentsBusy { by_others: false },
        Error::AttachmentsBusy { by_others: true },
        RedactionRefusal::Delayed(fixtures::message_id("<a@inboxd.example>")).into(),
        RedactionRefusal::Queued(fixtures::message_id("<a@inboxd.example>")).into(),
        RedactionRefusal::Redacted(fixtures::message_id("<a@inboxd.example>")).into(),
        AttachmentTextRefusal::Unsupported.into(),
        AttachmentTextRefusal::NoText.into(),
        AttachmentTextRefusal::Encrypted.into(),
        AttachmentTextRefusal::TooLarge.into(),
        AttachmentTextRefusal::TimedOut.into(),
        AttachmentTextRefusal::Failed.into(),
        Error::MessageLeft(fixtures::message_id("<a@inboxd.example>")),
        CalendarRefusal::NotAnInvitation(fixtures::message_id("<a@inboxd.example>")).into(),
        CalendarRefusal::NotInvited(fixtures::inbox_id("scout@example.org")).into(),
        CalendarRefusal::NotAnswerable("cev_1".to_owned()).into(),
        CalendarRefusal::NotOrganizer { organizer: "anna@outside.example".to_owned() }.into(),
        CalendarRefusal::HasChangedDates("cev_1".to_owned()).into(),
        CalendarRefusal::Changed("the event cev_1".to_owned()).into(),
        CalendarRefusal::Stale { of: "the event cev_1".to_owned(), version: "\"rv-2\"".to_owned() }.into(),
        CalendarRefusal::ClientIdReused("fair".to_owned()).into(),
        CalendarRefusal::OrganizerElsewhere { address: "x@elsewhere.example".to_owned() }.into(),
        QuarantineRefusal::NotHeld(fixtures::message_id("<a@inboxd.example>")).into(),
        QuarantineRefusal::Released(fixtures::message_id("<a@inboxd.example>")).into(),
        QuarantineRefusal::NotJudged(fixtures::message_id("<a@inboxd.example>")).into(),
        QuarantineRefusal::FeedbackFull { message_id: fixtures::message_id("<a@inboxd.example>"), limit: 20 }.into(),
        Error::DraftSending(fixtures::draft().item.draft_id),
        Error::DraftChanged(fixtures::draft().item.draft_id),
        Error::FileNotUploaded("reports/q3.pdf".to_owned()),
        Error::FilesUnverified,
        Error::InvitationUnverified,
        Error::Code(CodeRefusal::WrongSignIn),
        Error::Code(CodeRefusal::SignInAttemptsExceeded),
        Error::Code(CodeRefusal::SignInPaused { until: soon() }),
        Error::AlreadyVerified,
        Error::Code(CodeRefusal::Wrong { attempts_left: 9 }),
        Error::Code(CodeRefusal::Wrong { attempts_left: 0 }),
        Error::Code(CodeRefusal::Expired),
        Error::Code(CodeRefusal::AttemptsExceeded { until: soon() }),
        Error::AlreadyExists {
            resource: Resource::ListEntry,
            name: "example.org".to_owned(),
            id: "example.org".to_owned(),
        },
        Error::ReadOnlyEntry("anna@example.org".to_owned()),
        Error::AlreadyExists {
            resource: Resource::Domain,
            name: "example.org".to_owned(),
            id: fixtures::id::<DomainId>(30).to_string(),
        },
        Error::AlreadyExists {
            resource: Resource::Member,
            name: "maria@example.org".to_owned(),
            id: fixtures::id::<MemberId>(40).to_string(),
        },
        Error::CannotDelete {
            resource: Resource::Domain,
            name: "example.org".to_owned(),
            used_by: "2 of its inboxes are live".to_owned(),
        },
        Error::DomainNotVerified { domain: "example.org".to_owned(), domain_id: None },
        Error::DomainNotVerified { domain: "example.org".to_owned(), domain_id: Some(fixtures::id(30)) },
        Error::DomainLost { inbox_id: fixtures::inbox_id("scout@example.org") },
        Error::UnknownEventType("message.eaten".to_owned()),
        Error::ReplayTooOld(fixtures::NOW),
        Error::WebhookDisabled(fixtures::id(50)),
        Error::QueryRangeTooWide("the window is longer than 90 days".to_owned()),
        Error::TooLarge { size: 5, limit: 4 },
        Error::AnswerTooLarge { size: 9, limit: 4, messages: 5, fitting: 2 },
        Error::Store(StoreError::Duplicate(Constraint::MessageId)),
        Error::Store(StoreError::Contention),
        Error::Store(StoreError::Unavailable("no connection".to_owned())),
        Error::Store(StoreError::ContentUnavailable("a secret".to_owned())),
        Error::Store(StoreError::ContentLost("a secret".to_owned())),
        Error::Store(StoreError::Undecided("a secret".to_owned())),
        Error::Store(StoreError::Failed("a secret".to_owned())),
        Error::Internal("a secret".to_owned()),
        Error::NotForConnections,
        Error::MemberConnectionProtected,
        Error::Policy(PolicyError::PersonRequired),
        Error::Policy(PolicyError::OwnApproval),
        Error::Policy(PolicyError::NotAwaitingApproval(fixtures::id(1))),
        Error::Policy(PolicyError::Refused(Box::new(PolicyVerdict {
            level: PolicyLevel::Organization,
            rule: PolicyRule::FirstContact,
            action: PolicyAction::Refuse,
            found: Some("bob@outside.example".to_owned()),
        }))),
        Error::Policy(PolicyError::AuthorRevoked("build".to_owned())),
        Error::Policy(PolicyError::FreeVerdictLimitReached { until: OffsetDateTime::UNIX_EPOCH }),
        Error::OwnerMailLimitReached(OffsetDateTime::UNIX_EPOCH),
        Error::FetchLimitReached { until: OffsetDateTime::UNIX_EPOCH },
        Error::NotTheirConnection,
        Error::RowLimitReached { rows: LimitedRows::Connections, limit: 100 },
    ];
    let of_here = [
        ApiError::missing_authorization(),
        ApiError::route_not_found("GET", "/nowhere"),
        ApiError::method_not_allowed("PUT", "GET, HEAD".to_owned()),
        ApiError::new(ErrorCode::UpgradeRequired, "the request asks for no WebSocket"),
        ApiError::new(ErrorCode::MalformedRequest, "the request is not valid HTTP/1.1"),
        ApiError::new(ErrorCode::HeadersTooLarge, "the head of the request is too large"),
        ApiError::body_too_large(1400),
        ApiError::body_too_slow(),
        ApiError::range_not_satisfiable(10),
        ApiError::too_many_bodies(BudgetReached::All),
        ApiError::too_many_bodies(BudgetReached::Holder),
        ApiError::too_many_running(16),
        ApiError::rate_exceeded("this key", crate::error::ReachedLimit::KeyRate, Duration::from_millis(1)),
        ApiError::body_broken("a chunk is broken"),
        ApiError::unsupported_encoding("gzip"),
        ApiError::unsupported_media_type("application/xml"),
        ApiError::too_many_requests(Duration::from_millis(1500)),
        ApiError::foreign_form(),
        ApiError::no_form(),
    ];
    let of_oauth = OAuthErrorCode::ALL.iter().map(|code| Error::OAuth(OAuthError::new(*code, "a reason")));
    let not_found = resources.into_iter().map(|resource| Error::not_found(resource, "x"));
    let of_core = of_core.into_iter().chain(every_refusal_of_recipients_and_plans()).chain(of_oauth);
    of_core.chain(not_found).map(ApiError::from).chain(of_here).collect()
}

async fn shown(error: &ApiError) -> (u16, Vec<String>, Value) {
    let response = render(error, &Method::POST, "https://inboxd.example", fixtures::NOW);
    let headers = ["retry-after", "allow", "www-authenticate"]
        .iter()
        .filter_map(|name| Some(format!("{name}: {}", response.headers().get(*name)?.to_str().unwrap())))
        .collect();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body()).await.unwrap();
    (status, headers, serde_json::from_slice(&body).unwrap())
}

#[actix_web::test]
async fn complete_error_mapping() {
    let mut picture = Vec::new();
    let mut seen = BTreeSet::new();
    for error in every_refusal() {
        let (status, headers, body) = shown(&error).await;
        let text = |name: &str| body[name].as_str().unwrap().to_owned();
        assert_eq!(text("docs"), format!("https://inboxd.example/docs/errors#{}", text("code")));
        assert!(!body.to_string().contains("a secret"), "inner causes are not exposed");
        picture.push(format!("{status} {} {}", text("name"), text("code")));
        picture.push(format!("  {}", text("message")));
        picture.push(format!("  fix: {}", text("fix")));
        picture.extend(headers.into_iter().map(|header| format!("  {header}")));
        if !body["errors"].is_null() {
            picture.push(format!("  errors: {}\n  detail: {}", body["errors"], body["detail"]));
        }
        seen.insert(text("code"));
    }
    insta::assert_snapshot!(picture.join("\n"));
    let all: BTreeSet<String> = ErrorCode::ALL.iter().map(|code| code.as_str().to_owned()).collect();
    assert_eq!(seen, all, "codes and refusals correspond one to one");
}
