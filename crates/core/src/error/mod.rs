//! Errors of all use cases; each protocol maps them once.

mod attachment_text;
mod billing;
mod brake;
mod calendar;
mod code;
mod constructors;
mod conversions;
mod feature;
mod field;
mod limit;
mod loops;
mod policy;
mod quarantine;
mod redaction;
mod resource;
mod sign_up;
mod wording;

use time::OffsetDateTime;

pub use self::attachment_text::AttachmentTextRefusal;
pub use self::billing::BillingError;
pub use self::brake::BrakeRefusal;
pub use self::calendar::CalendarRefusal;
pub use self::code::CodeRefusal;
pub use self::feature::AbsentFeature;
pub use self::field::{FieldError, FieldErrorKind};
pub use self::limit::{LimitReached, LimitedRows};
pub use self::loops::LoopRefusal;
pub use self::policy::PolicyError;
pub use self::quarantine::QuarantineRefusal;
pub use self::redaction::RedactionRefusal;
pub use self::resource::Resource;
pub use self::sign_up::SignUpRefusal;
use self::wording::{api_time, held, list_phrase};
use crate::model::{
    DomainId, DraftId, EntryName, EventId, InboxId, ListKey, MessageId, OAuthError, Permission, Role,
    SuppressionReason, WebhookId,
};
use crate::ports::StoreError;

/// Reason for which a use case refused a request or failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The key is unknown or revoked.
    #[error("the API key is not known")]
    UnknownApiKey,
    /// The key has expired.
    #[error("the API key expired at {}", api_time(*.at))]
    ApiKeyExpired {
        /// Time of expiry.
        at: OffsetDateTime,
    },
    /// The key lacks the required permission.
    #[error("the API key lacks the permission {}", .0.as_str())]
    MissingPermission(Permission),
    /// A new key would have a permission that the caller lacks.
    #[error("an API key cannot grant {}, which it does not hold", .0.as_str())]
    PermissionEscalation(Permission),
    /// The key to change holds a permission that the caller lacks.
    #[error("this API key cannot change one with {}, which it lacks", .0.as_str())]
    KeyBeyondCaller(Permission),
    /// An expiring key cannot add permissions to a key with a longer life.
    #[error("this API key expires at {} and cannot widen one that works for longer", api_time(*.at))]
    KeyOutlivesCaller {
        /// Expiry of the caller's key.
        at: OffsetDateTime,
    },
    /// The role to grant has a permission that the caller lacks.
    #[error("the role {role} includes {}, which this API key does not hold", .permission.as_str())]
    RoleEscalation {
        /// Requested role.
        role: Role,
        /// First permission of the role that the caller lacks.
        permission: Permission,
    },
    /// The role of the member does not allow the action, with any key.
    #[error("the role {role} does not include {}", .permission.as_str())]
    RoleNotAllowed {
        /// Role of the member.
        role: Role,
        /// Required permission.
        permission: Permission,
        /// Address of the owner, which has the permission.
        owner: String,
    },
    /// An operator has suspended the organization.
    #[error("the organization is suspended: {reason}")]
    OrganizationSuspended {
        /// Reason stated by the operator.
        reason: String,
    },
    /// The brake on sending refuses the message.
    #[error(transparent)]
    Brake(#[from] BrakeRefusal),
    /// The inbox is paused.
    #[error("the inbox {0} is paused and sends nothing")]
    InboxPaused(InboxId),
    /// A key of one inbox would resume it.
    #[error("the inbox {0} is paused, and a key of this inbox alone cannot resume it")]
    ResumeNotAllowed(InboxId),
    /// The inbox, or else the organization, is under a legal hold.
    #[error("{} is under a legal hold, and nothing of it can be deleted", held(.0.as_ref()))]
    LegalHold(Option<InboxId>),
    /// The owner can neither be removed nor demoted.
    #[error("the owner can neither be removed nor demoted")]
    OwnerProtected,
    /// A key of the sign-up would change a key of the owner before the owner address is confirmed.
    #[error("a key of the owner cannot be changed or revoked before the owner address is confirmed")]
    MemberKeyProtected,
    /// Only a person, with the key of a sign-in, can switch to another organization, or place or end a legal hold.
    #[error("this key acts for the organization, not for a person")]
    NotAPerson,
    /// A key of the sign-up would see or end connections before the owner address is confirmed.
    #[error("connections cannot be seen or changed with this key before the owner address is confirmed")]
    MemberConnectionProtected,
    /// An access token of an OAuth client would do what outlives its connection.
    #[error("an access token of a connected client may not do this")]
    NotForConnections,
    /// Another member would widen a connection.
    #[error("only the member that granted the connection can widen it")]
    NotTheirConnection,
    /// A policy of sending, or the approval of a held message.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// An OAuth endpoint refused the request.
    #[error("{0}")]
    OAuth(OAuthError),
    /// The member is limited to other inboxes.
    #[error("the member is limited to other inboxes")]
    NotTheirInbox {
        /// Inboxes of the member.
        theirs: Vec<InboxId>,
    },
    /// A member limited to several inboxes must name one.
    #[error("a member limited to several inboxes must name the one to list")]
    InboxIdRequired {
        /// Inboxes of the member.
        theirs: Vec<InboxId>,
    },
    /// The resource is outside the one inbox of the key.
    #[error("the API key reaches {reached} only")]
    InboxOutOfScope {
        /// Inbox of the key.
        reached: InboxId,
    },
    /// The resource is outside the one pod of the key.
    #[error("the API key reaches one pod only, and this is outside it")]
    PodOutOfScope,
    /// The resource does not exist in the caller's organization.
    #[error("no such {}: {id}", .resource.as_str())]
    NotFound {
        /// Kind of the resource.
        resource: Resource,
        /// Requested id.
        id: String,
    },
    /// All invalid fields of the request.
    #[error("the request has {} bad field(s)", .0.len())]
    Invalid(Vec<FieldError>),
    /// A reply to everyone would exceed the maximum of recipients.
    #[error("a reply to everyone has {count} recipients; a message has at most {most}")]
    TooManyToAnswer {
        /// Recipients of the reply.
        count: usize,
        /// Maximum recipients of a message.
        most: usize,
    },
    /// The owner address already has an account.
    #[error("{0} has an account already")]
    AccountExists(String),
    /// The address exists, or existed for a deleted inbox.
    #[error("the address {0} is taken")]
    AddressTaken(String),
    /// The `client_id` belongs to a deleted or inaccessible resource.
    #[error("the client_id {0} was used for a deleted or inaccessible resource")]
    ClientIdSpent(String),
    /// Another author wrote the note.
    #[error("the note was written by {author}")]
    NotTheAuthor {
        /// Name of the author.
        author: String,
    },
    /// The quarantine refused the request.
    #[error(transparent)]
    Quarantine(#[from] QuarantineRefusal),
    /// The calendar refused the request.
    #[error(transparent)]
    Calendar(#[from] CalendarRefusal),
    /// A redaction refused the request.
    #[error(transparent)]
    Redaction(#[from] RedactionRefusal),
    /// An attachment has no text.
    #[error(transparent)]
    AttachmentText(#[from] AttachmentTextRefusal),
    /// The content of a file has not arrived.
    #[error("the content of {0} was not uploaded yet")]
    FileNotUploaded(String),
    /// The draft is being sent.
    #[error("the draft {0} is being sent")]
    DraftSending(DraftId),
    /// The message has been sent and cannot be cancelled.
    #[error("the message {0} has left")]
    MessageLeft(MessageId),
    /// The draft is not in the revision that the caller has seen.
    #[error("the draft {0} was changed meanwhile")]
    DraftChanged(DraftId),
    /// The idempotency key was used for another request.
    #[error("the Idempotency-Key {0} was used for another request")]
    SendKeyReused(String),
    /// A send with this idempotency key is running.
    #[error("a request with the Idempotency-Key {0} is running")]
    SendKeyInUse(String),
    /// An unverified organization cannot invite members.
    #[error("the organization is unverified and cannot invite members")]
    InvitationUnverified,
    /// Only a verified organization stores files.
    #[error("the organization is unverified and cannot store files")]
    FilesUnverified,
    /// A mailed code is wrong, has expired, or was tried too often.
    #[error(transparent)]
    Code(#[from] CodeRefusal),
    /// The quota of codes and invitations of a mailbox or organization is used up.
    #[error("too many codes and invitations were mailed {whose} recently")]
    MailLimitReached {
        /// Owner of the quota.
        whose: String,
        /// Time at which the next message may be mailed.
        until: OffsetDateTime,
    },
    /// The quota of messages that unverified organizations send to an owner address is used up until this time.
    #[error("unverified organizations sent too many messages to this owner address recently")]
    OwnerMailLimitReached(OffsetDateTime),
    /// The quota of client metadata documents fetched for a person is used up.
    #[error("too many client metadata documents were fetched for this person")]
    FetchLimitReached {
        /// Time of the next permitted fetch.
        until: OffsetDateTime,
    },
    /// The owner address is confirmed already.
    #[error("the organization is verified already")]
    AlreadyVerified,
    /// An unverified organization can send to its owner only.
    #[error("the organization is unverified and can send to its owner only")]
    OrganizationUnverified {
        /// First recipient other than the owner.
        recipient: String,
    },
    /// The address is suppressed after a bounce or complaint.
    #[error("{address} is suppressed")]
    RecipientSuppressed {
        /// The address.
        address: String,
        /// Reason of the suppression.
        reason: SuppressionReason,
    },
    /// A block list contains the recipient.
    #[error("{recipient} is blocked by the entry {} of {}", .entry.as_str(), list_phrase(.list))]
    RecipientBlocked {
        /// The recipient.
        recipient: String,
        /// The list.
        list: ListKey,
        /// Matching entry.
        entry: EntryName,
    },
    /// An allow list has entries, and none of them matches the recipient.
    #[error("{recipient} is not on {}, which has entries", list_phrase(.list))]
    RecipientNotAllowed {
        /// The recipient.
        recipient: String,
        /// The list.
        list: ListKey,
    },
    /// The message could begin or continue a loop of automatic replies.
    #[error(transparent)]
    Loop(#[from] LoopRefusal),
    /// The entry is a suppressed address.
    #[error("{0} is suppressed; the entry is read-only")]
    ReadOnlyEntry(String),
    /// A unique resource exists already.
    #[error("the {} {name} already exists", .resource.as_str())]
    AlreadyExists {
        /// Kind of the resource.
        resource: Resource,
        /// Name of the resource.
        name: String,
        /// Id of the existing resource.
        id: String,
    },
    /// A resource in use cannot be deleted.
    #[error("the {} {name} cannot be deleted: {used_by}", .resource.as_str())]
    CannotDelete {
        /// Kind of the resource.
        resource: Resource,
        /// Name of the resource.
        name: String,
        /// Description of its use.
        used_by: String,
    },
    /// Inboxes need a verified domain.
    #[error("the domain {domain} is not verified for this organization")]
    DomainNotVerified {
        /// Requested domain.
        domain: String,
        /// The organization's own record of the domain, which can be verified.
        domain_id: Option<DomainId>,
    },
    /// The domain of the inbox now belongs to another organization.
    #[error("{inbox_id} cannot send: another organization has proven ownership of its domain")]
    DomainLost {
        /// The inbox.
        inbox_id: InboxId,
    },
    /// A plan limit would be exceeded.
    #[error("the limit of {limit} is reached")]
    LimitReached {
        /// The limit.
        which: LimitReached,
        /// Value of the limit.
        limit: u64,
        /// Whether the owner address is confirmed; confirmation raises the limit.
        verified: bool,
    },
    /// A row limit would be exceeded.
    #[error("{}", .rows.describe(*.limit))]
    RowLimitReached {
        /// Kind of the rows.
        rows: LimitedRows,
        /// Maximum rows.
        limit: u64,
    },
    /// The event type does not exist.
    #[error("no such event type: {0}")]
    UnknownEventType(String),
    /// The event of the cursor is older than the retained events.
    #[error("{event_id} is older than the retained events")]
    CursorExpired {
        /// Event of the cursor.
        event_id: EventId,
        /// Time of the oldest retained events.
        kept_since: OffsetDateTime,
    },
    /// The start of the replay is before the oldest retained events.
    #[error("events before {} are no longer retained", api_time(*.0))]
    ReplayTooOld(OffsetDateTime),
    /// A disabled webhook receives nothing.
    #[error("the webhook {0} is disabled and receives nothing")]
    WebhookDisabled(WebhookId),
    /// The query would read more rows than permitted.
    #[error("{0}")]
    QueryRangeTooWide(String),
    /// The message exceeds the maximum size.
    #[error("the message has {size} bytes; {limit} are allowed")]
    TooLarge {
        /// Size of the message in bytes.
        size: usize,
        /// Maximum size in bytes.
        limit: usize,
    },
    /// Too many attachments by URL or from stored files are being read.
    #[error("too many attachments are being read{}", if *.by_others { "" } else { " for this organization" })]
    AttachmentsBusy {
        /// Whether reads of other organizations use the capacity.
        by_others: bool,
    },
    /// The bodies of the requested messages exceed the maximum of one response.
    #[error(
        "the bodies of these {messages} messages have {size} bytes; a response holds {limit}, into which the newest {fitting} fit"
    )]
    AnswerTooLarge {
        /// Size of the bodies in bytes.
        size: u64,
        /// Maximum of a response in bytes.
        limit: u64,
        /// Number of requested messages that exist.
        messages: usize,
        /// Number of messages, the newest first, that fit into a response.
        fitting: usize,
    },
    /// A request about payments failed.
    #[error(transparent)]
    Billing(#[from] BillingError),
    /// A sign-up or a change of the owner address was refused.
    #[error(transparent)]
    SignUp(#[from] SignUpRefusal),
    /// The service lacks the feature of a compatible API.
    #[error(transparent)]
    NotOffered(#[from] AbsentFeature),
    /// Storage failed; nothing was changed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The service has an internal fault.
    #[error("internal error: {0}")]
    Internal(String),
}
