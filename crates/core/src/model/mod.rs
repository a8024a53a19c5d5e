//! Entities and values.
//!
//! An entity is created complete, with its id and times; storage adds nothing.

pub mod access;
mod actor;
pub mod api_key;
pub mod audit;
pub mod authentication;
pub mod billing;
mod blob;
mod calendar;
pub mod certificate;
pub mod claim;
pub mod code;
mod contact;
mod delivery_attempt;
mod dkim_key;
pub mod domain;
pub mod draft;
pub mod event;
pub mod extracted;
pub mod feed;
mod file;
mod first_read;
pub mod idempotency_key;
pub mod ids;
pub mod inbox;
pub mod label;
pub mod label_event;
mod legal_hold;
pub mod list;
pub mod locality;
pub mod mail_quota;
pub mod mail_report;
mod member;
pub mod message;
pub mod metrics;
pub mod note;
pub mod oauth;
mod operator_mail;
pub mod organization;
pub mod outgoing;
pub mod page;
pub mod pod;
pub mod policy;
mod polling;
pub mod quarantine;
pub mod return_path;
mod scope;
mod sending_brake;
pub mod sign_in;
mod sign_up;
mod smtp_refusal;
pub mod spam;
mod stored_blob;
pub(crate) mod string_enum;
mod sts_policy;
pub mod suppression;
pub mod thread;
pub mod trace;
mod trace_context;
pub mod usage;
pub mod webhook;
pub mod webhook_attempt;
pub mod webhook_delivery;

pub use access::{Breadth, Caller, Permission, Permissions, Reach, RequiredPermission, permissions};
pub use actor::Actor;
pub use api_key::ApiKey;
pub use audit::{AuditAction, AuditActor, AuditEntry, AuditFacts, AuditedResource, ServiceActor};
pub use authentication::{AuthResult, Authentication};
pub use billing::{
    BillingRecord, CustomerId, PaymentNotice, Subscription, SubscriptionId, SubscriptionState, SubscriptionUpdate,
};
pub use blob::BlobKind;
pub use calendar::{
    CalendarDate, CalendarEvent, CalendarSettings, CalendarSummary, DatedEventId, EventAuthority, ReplacedFields,
};
pub use claim::{Claim, ClaimedMail, OpenWork};
pub use code::VerificationCode;
pub use contact::{Contact, ContactChange, ContactChanges, ContactDecision, ContactKey};
pub use delivery_attempt::{
    DeliveryAttempt, DeliveryReport, DeliveryResult, RecipientResult, ServerSession, SessionTls,
};
pub use dkim_key::{DkimKey, KeyState, MailKey};
pub use domain::{Domain, DomainName, DomainRecord, DomainStatus};
pub use draft::{ClaimedDraft, DelayedSend, Draft, DraftItem, DraftKind, SendSchedule, SendStatus};
pub use event::{Event, EventBody, EventType, RecipientStatus};
pub use extracted::{ExtractedCode, ExtractedFindings, ExtractedLink, LinkKind};
pub use file::InboxFile;
pub use first_read::{FirstRead, ReadPart, ReaderId};
pub use idempotency_key::{IdempotencyClaim, IdempotencyKey, SendResult, UsedKey};
pub use ids::{
    ApiKeyId, AttachmentId, AttemptId, AuditEntryId, CalendarEventId, ConnectionId, DeliveryAttemptId, DomainId,
    DraftId, EventId, FeedbackId, FileId, FirstReadId, InboxId, MemberId, MessageId, NoteId, OrganizationId,
    OutgoingId, PodId, SmtpRefusalId, ThreadId, WebhookId,
};
pub use inbox::{Inbox, InboxStatus, Metadata, MetadataValue};
pub use label::{ARMOR_HELD, HELD, HidingLabels, Labels};
pub use label_event::{LabelEvent, LabelEventType};
pub use legal_hold::{LegalHold, LegalHoldScope};
pub use list::{EntryName, EntryType, ListDirection, ListEntry, ListExcerpt, ListKey, ListLevel, ListType};
pub use locality::Locality;
pub use mail_quota::{MailCharge, MailLimits};
pub use member::{ActingMember, Member, Membership, Role};
pub use message::{Attachment, Message, MessageBody, MessageItem, NewMail, NewMessage};
pub use metrics::{TimeSpan, UsageType};
pub use note::Note;
pub use oauth::{
    Access, AuthorizationCode, BrowserSession, ClientAuthMethod, ClientSource, Connection, ConnectionBounds,
    OAuthClient, OAuthError, OAuthErrorCode, RefreshToken,
};
pub use operator_mail::{OperatorMail, OperatorMailItem};
pub use organization::{AccountIds, Organization, OrganizationOverview, Plan, PlanLimits, Suspension};
pub use outgoing::{DeliveryOutcome, QueuedMail, RawMail, Route};
pub use page::{Cursor, Direction, Page, PageRequest};
pub use pod::Pod;
pub use policy::{
    AmountRules, Approval, ApprovalStatus, ContentRules, HeldWarning, KnownRecipient, Policy, PolicyAction,
    PolicyAuthors, PolicyDay, PolicyLevel, PolicyRule, PolicyRules, PolicyVerdict, ReceivedCode, RecipientRules,
    SealedCodes, SendingHours,
};
pub use polling::{PollingToken, PollingWebhook};
pub use quarantine::{
    FeedbackValue, MessageRelease, QuarantineMode, QuarantineScopes, SecurityFeedback, SecurityResult, SecurityVerdict,
};
pub use scope::Scope;
pub use sending_brake::{BrakeLevel, SLOWED_PER_DAY, SendingBrake, SendingCounts};
pub use sign_in::SignInCode;
pub use sign_up::{SignUpInvitation, SignUpMode};
pub use smtp_refusal::{RefusedMail, SmtpRefusal, SmtpStage};
pub use spam::{SpamReason, SpamReport};
pub use stored_blob::{Content, ContentFilter, StoredBlob};
pub use sts_policy::{StsMode, StsPolicy};
pub use suppression::{Suppression, SuppressionReason};
pub use thread::{Thread, ThreadSum};
pub use trace::{TraceEntry, TracePlace, TraceRecord, TraceSegment, TraceSource, TracedMessage};
pub use trace_context::{SPAN_TARGET, TraceContext};
pub use usage::{SendCounts, UsageChange};
pub use webhook::{EncryptedSecrets, PreviousSecret, Webhook, WebhookSecret, WebhookTargets};
pub use webhook_attempt::WebhookAttempt;
pub use webhook_delivery::WebhookDelivery;
