//! Everything that the use cases refuse, once. Each protocol maps it once.

mod constructors;
mod field;
mod limit;
mod resource;
mod wording;

use time::OffsetDateTime;

pub use self::field::{FieldError, Mistake};
pub use self::limit::{LimitReached, LimitedRows};
pub use self::resource::Resource;
use self::wording::{list_name, on_the_wire};
use crate::model::{
    DomainId, DraftId, EntryName, EventId, InboxId, ListKey, OrganizationId, Permission, Role, SuppressionReason,
    WebhookId,
};
use crate::ports::{PaymentsError, StoreError};

/// Why a use case refused, or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The key is not known, or was revoked.
    #[error("the API key is not known")]
    UnknownApiKey,
    /// The key's time has passed.
    #[error("the API key expired at {}", on_the_wire(*.at))]
    ApiKeyExpired {
        /// When it stopped working.
        at: OffsetDateTime,
    },
    /// The key does not hold the permission that the act needs.
    #[error("the API key lacks the permission {}", .0.as_str())]
    MissingPermission(Permission),
    /// A key can hand on only what it holds.
    #[error("an API key cannot hand on {}, which it does not hold", .0.as_str())]
    PermissionEscalation(Permission),
    /// A key changes no other key that holds what it lacks.
    #[error("this API key cannot change one that holds {}, which it does not hold itself", .0.as_str())]
    KeyBeyondCaller(Permission),
    /// A key that expires widens no key that works for longer.
    #[error("this API key expires at {} and cannot widen one that works for longer", on_the_wire(*.at))]
    KeyOutlivesCaller {
        /// When the caller's key stops working.
        at: OffsetDateTime,
    },
    /// Nobody gives a role that allows more than they hold.
    #[error("the role {role} includes {}, which this API key does not hold", .permission.as_str())]
    RoleEscalation {
        /// What somebody was to be.
        role: Role,
        /// The first thing that it allows and the caller does not hold.
        permission: Permission,
    },
    /// The role of the person does not allow the act, whatever their key holds.
    #[error("the role {role} does not include {}", .permission.as_str())]
    RoleNotAllowed {
        /// What they are.
        role: Role,
        /// What it would take.
        permission: Permission,
        /// The owner's address, who can do it.
        owner: String,
    },
    /// An operator has suspended the organization.
    #[error("the organization is suspended: {reason}")]
    OrganizationSuspended {
        /// The operator's reason.
        reason: String,
    },
    /// The inbox is paused.
    #[error("the inbox {0} is paused and sends nothing")]
    InboxPaused(InboxId),
    /// A key of the inbox alone asks for its resumption.
    #[error("the inbox {0} is paused, and a key of this inbox alone cannot resume it")]
    ResumeNotAllowed(InboxId),
    /// The owner can neither be removed nor demoted.
    #[error("the owner can neither be removed nor demoted")]
    OwnerProtected,
    /// A key of the sign-up would change a key of the owner before the owner address is confirmed.
    #[error("a key of the owner cannot be changed or revoked before the owner address is confirmed")]
    MemberKeyProtected,
    /// Only somebody who signed in can go on to another organization.
    #[error("this key acts for the organization, not for a person who belongs to others")]
    NotAPerson,
    /// The member is limited to other inboxes.
    #[error("the member is limited to other inboxes")]
    NotTheirInbox {
        /// The inboxes they are limited to.
        theirs: Vec<InboxId>,
    },
    /// A member limited to several inboxes has to name one of them.
    #[error("a member limited to several inboxes names the one to list")]
    InboxIdRequired {
        /// The inboxes they are limited to.
        theirs: Vec<InboxId>,
    },
    /// The key reaches one inbox, and this is not it.
    #[error("the API key reaches {reached} only")]
    InboxOutOfScope {
        /// The one inbox that it reaches.
        reached: InboxId,
    },
    /// The key reaches one pod, and this is outside it.
    #[error("the API key reaches one pod only, and this is outside it")]
    PodOutOfScope,
    /// There is no such thing within the caller's organization.
    #[error("no such {}: {id}", .resource.as_str())]
    NotFound {
        /// What was looked for.
        resource: Resource,
        /// The id it was looked for by.
        id: String,
    },
    /// Fields of the request cannot be used; all of them are named.
    #[error("the request has {} bad field(s)", .0.len())]
    Invalid(Vec<FieldError>),
    /// The message has more people to answer than a mail may have recipients.
    #[error("the message has {count} people to answer; a mail has at most {most} recipients")]
    TooManyToAnswer {
        /// How many there are.
        count: usize,
        /// How many a mail may have.
        most: usize,
    },
    /// The owner address has an account already.
    #[error("{0} has an account already")]
    AccountExists(String),
    /// The address was minted before, perhaps for an inbox that is gone.
    #[error("the address {0} is taken")]
    AddressTaken(String),
    /// The `client_id` belongs to something that the caller can no longer have.
    #[error("the client_id {0} was used for something that is gone or out of reach")]
    ClientIdSpent(String),
    /// The note was written by somebody else.
    #[error("the note was written by {author}")]
    NotTheAuthor {
        /// Who wrote it, by name.
        author: String,
    },
    /// Somebody is sending the draft.
    #[error("the draft {0} is being sent")]
    DraftSending(DraftId),
    /// The key of a repeatable send belongs to another request.
    #[error("the Idempotency-Key {0} was used for another request")]
    SendKeyReused(String),
    /// The send of this key is running.
    #[error("a request with the Idempotency-Key {0} is running")]
    SendKeyInUse(String),
    /// Until the owner address is confirmed, nobody can be invited.
    #[error("the organization is unverified and cannot invite anybody")]
    InvitationUnverified,
    /// The sign-in code is wrong, has run out, was used, or there is nobody to sign in; which of these is not told.
    #[error("the code is wrong or has run out")]
    WrongSignInCode,
    /// Too many wrong codes were tried against this sign-in code.
    #[error("too many wrong codes were tried")]
    SignInAttemptsExceeded,
    /// Too many wrong sign-in codes were tried for the address, against whichever codes.
    #[error("too many wrong codes were tried for this address")]
    SignInPaused {
        /// When one more may be tried.
        until: OffsetDateTime,
    },
    /// A mailbox got, or an organization caused, as many codes and invitations as it may for now.
    #[error("too many codes and invitations were mailed {whose} of late")]
    MailLimitReached {
        /// Whose share is used up.
        whose: String,
        /// When one more may be mailed.
        until: OffsetDateTime,
    },
    /// The owner address was confirmed before.
    #[error("the organization is verified already")]
    AlreadyVerified,
    /// The code is wrong.
    #[error("the code is wrong")]
    WrongCode {
        /// How many more may be tried.
        attempts_left: u32,
    },
    /// The code's time has passed; a fresh one was mailed.
    #[error("the code has expired")]
    CodeExpired,
    /// Too many wrong codes were tried.
    #[error("too many wrong codes were tried")]
    CodeAttemptsExceeded {
        /// When the code runs out and a fresh one can be had.
        until: OffsetDateTime,
    },
    /// Until the owner address is confirmed, mail goes to the owner only.
    #[error("the organization is unverified and may mail its owner only")]
    OrganizationUnverified {
        /// The first recipient that is not the owner.
        recipient: String,
    },
    /// The address bounced or complained before.
    #[error("{address} is suppressed")]
    RecipientSuppressed {
        /// The address.
        address: String,
        /// Why it is suppressed.
        reason: SuppressionReason,
    },
    /// A block list holds the recipient.
    #[error("{recipient} is blocked by the entry {} of {}", .entry.as_str(), list_name(.list))]
    RecipientBlocked {
        /// The recipient.
        recipient: String,
        /// The list.
        list: ListKey,
        /// The entry that names the recipient.
        entry: EntryName,
    },
    /// An allow list has entries, and none holds the recipient.
    #[error("{recipient} is not on {}, which has entries", list_name(.list))]
    RecipientNotAllowed {
        /// The recipient.
        recipient: String,
        /// The list.
        list: ListKey,
    },
    /// The message that a key answers was sent by a machine, in answer to something or in bulk.
    #[error(
        "the message is an automatic one, as its field `{sign}` says: nobody would read the answer, or another machine would answer it"
    )]
    AutomaticMessage {
        /// The field that says so.
        sign: String,
    },
    /// Keys have sent so many mails to one address in one thread that it looks like a loop.
    #[error(
        "{} mails were sent to {recipient} in this thread within 24 hours; two agents that answer each other have to be stopped",
        crate::rules::loops::BUDGET
    )]
    LoopBudgetReached {
        /// The address.
        recipient: String,
        /// When the next can be sent.
        until: OffsetDateTime,
    },
    /// The entry is a suppressed address.
    #[error("{0} is suppressed; the entry is read-only")]
    ReadOnlyEntry(String),
    /// There is such a thing already, and there can be one only.
    #[error("the {} {name} is there already", .resource.as_str())]
    AlreadyExists {
        /// What it is.
        resource: Resource,
        /// Its name.
        name: String,
        /// The id of the one that is there.
        id: String,
    },
    /// Something that is in use cannot be deleted.
    #[error("the {} {name} cannot be deleted: {used_by}", .resource.as_str())]
    CannotDelete {
        /// What it is.
        resource: Resource,
        /// Its name.
        name: String,
        /// What uses it.
        used_by: String,
    },
    /// Inboxes can be made on verified domains only.
    #[error("the domain {domain} is not verified for this organization")]
    DomainNotVerified {
        /// The domain that was asked for.
        domain: String,
        /// The organization's own record of it, which can be verified.
        domain_id: Option<DomainId>,
    },
    /// The domain of the inbox is another organization's now.
    #[error("{inbox_id} can send no mail: another organization has proven that its domain is theirs")]
    DomainLost {
        /// The inbox.
        inbox_id: InboxId,
    },
    /// A cap would be crossed.
    #[error("the limit of {limit} is reached")]
    LimitReached {
        /// Which cap.
        which: LimitReached,
        /// Its value.
        limit: u64,
        /// Whether the owner address is confirmed; until it is, confirming it raises the cap.
        verified: bool,
    },
    /// No more rows of this kind are stored.
    #[error("{}", .rows.describe(*.limit))]
    RowLimitReached {
        /// The kind.
        rows: LimitedRows,
        /// The most rows.
        limit: u64,
    },
    /// An event type that does not exist.
    #[error("no such event type: {0}")]
    UnknownEventType(String),
    /// An event that was to be read on from is older than events are kept.
    #[error("{event_id} is older than events are kept here")]
    CursorExpired {
        /// The event.
        event_id: EventId,
        /// Since when they are kept.
        kept_since: OffsetDateTime,
    },
    /// A replay was to begin before events are kept.
    #[error("what happened before {} is not kept here any more", on_the_wire(*.kept_since))]
    ReplayTooOld {
        /// Since when it is kept.
        kept_since: OffsetDateTime,
    },
    /// Nothing is sent to a webhook that is disabled.
    #[error("the webhook {0} is disabled, so that nothing is sent to it")]
    WebhookDisabled(WebhookId),
    /// The query would have to look at more than one answer is worth.
    #[error("{0}")]
    QueryRangeTooWide(String),
    /// The mail is larger than the service takes.
    #[error("the mail has {size} octets; {limit} are allowed")]
    TooLarge {
        /// Octets of the mail.
        size: usize,
        /// Octets allowed.
        limit: usize,
    },
    /// As many attachments are being read from URLs as may.
    #[error("too many attachments by URL are being read{}", if *.by_others { "" } else { " for this organization" })]
    AttachmentsBusy {
        /// Whether those of other organizations take the room.
        by_others: bool,
    },
    /// The bodies of the messages that were asked for are more than one answer holds.
    #[error(
        "the bodies of these {messages} messages have {size} octets; an answer holds {limit}, into which the newest {fitting} fit"
    )]
    AnswerTooLarge {
        /// Octets of the bodies.
        size: u64,
        /// Octets that an answer holds.
        limit: u64,
        /// How many messages were asked for and are there.
        messages: usize,
        /// How many of them, the newest first, an answer holds.
        fitting: usize,
    },
    /// No payment provider is configured.
    #[error("this server takes no payments")]
    BillingNotConfigured(Option<OrganizationId>),
    /// A subscription is running, and another one would be paid besides it.
    #[error("the organization has a subscription already")]
    AlreadySubscribed,
    /// Nobody has ever paid for the organization.
    #[error("the organization has no customer at the payment provider")]
    NeverPaid,
    /// Nothing proves that a notice comes from the payment provider.
    #[error("{0}")]
    UnprovenNotice(String),
    /// The payment provider did not do its part; nothing was changed.
    #[error(transparent)]
    Payments(#[from] PaymentsError),
    /// Storage failed; nothing was changed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The service itself is at fault.
    #[error("internal error: {0}")]
    Internal(String),
}
