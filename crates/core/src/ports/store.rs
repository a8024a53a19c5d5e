//! The unit of work, and the one error that storage speaks.

use async_trait::async_trait;

use super::{
    AccountReads, AccountWrites, ApiKeyReads, ApiKeyWrites, BillingReads, BillingWrites, ClientIdWrites, DeliveryReads,
    DeliveryWrites, DomainReads, DomainWrites, DraftReads, DraftWrites, EventReads, EventWrites, FeedReads,
    IdempotencyKeyWrites, InboundQueries, InboxReads, InboxWrites, LabelHistoryReads, LabelHistoryWrites, ListReads,
    ListWrites, MailQuotaWrites, MemberReads, MemberWrites, MessageReads, MessageWrites, MetricReads, NoteReads,
    NoteWrites, OperatorMailWrites, OutgoingReads, OutgoingWrites, PodReads, PodWrites, Processes, ReplayWrites,
    ReturnPathReads, ReturnPathWrites, SearchIndex, SignInWrites, SuppressionReads, SuppressionWrites, ThreadReads,
    ThreadWrites, UsageWrites, WebhookReads, WebhookWrites,
};
use crate::model::NewMail;

/// Every question that can be asked outside a transaction.
pub trait Reads:
    AccountReads
    + ApiKeyReads
    + DeliveryReads
    + DraftReads
    + EventReads
    + FeedReads
    + InboxReads
    + LabelHistoryReads
    + MemberReads
    + MessageReads
    + MetricReads
    + NoteReads
    + OutgoingReads
    + PodReads
    + Processes
    + ReturnPathReads
    + ListReads
    + DomainReads
    + BillingReads
    + SuppressionReads
    + ThreadReads
    + WebhookReads
{
}

impl<T> Reads for T where
    T: AccountReads
        + ApiKeyReads
        + DeliveryReads
        + DraftReads
        + DomainReads
        + BillingReads
        + EventReads
        + FeedReads
        + InboxReads
        + ListReads
        + LabelHistoryReads
        + MemberReads
        + MessageReads
        + MetricReads
        + NoteReads
        + OutgoingReads
        + PodReads
        + Processes
        + ReturnPathReads
        + SuppressionReads
        + ThreadReads
        + WebhookReads
{
}

/// Time that each statement of a unit of work waits for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockWait {
    /// 250 ms, for work that shares its connections with other tenants.
    Brief,
    /// 500 ms, for a later try of the same work, within a share of the connections.
    Patient,
}

/// Durable storage.
#[async_trait]
pub trait Store: Reads + SearchIndex + Send + Sync {
    /// Begins a unit of work.
    ///
    /// # Errors
    /// When storage cannot be reached.
    async fn begin(&self) -> Result<Box<dyn Tx>, StoreError>;

    /// Begins a unit of work that gives up with [`StoreError::LockTimeout`] where a lock is not granted in time. Storage
    /// without locks begins as ever.
    ///
    /// # Errors
    /// When storage cannot be reached.
    async fn begin_within(&self, _lock_wait: LockWait) -> Result<Box<dyn Tx>, StoreError> {
        self.begin().await
    }

    /// Answers when storage can be reached and its schema is the one this program was built for.
    ///
    /// # Errors
    /// When it is not.
    async fn ready(&self) -> Result<(), StoreError>;
}

/// A unit of work. Dropped uncommitted, it is rolled back.
///
/// Locks are taken in one order: organization, domain, pod, inbox, member (by id), API key, thread (by inbox, then id),
/// `client_id`, draft, webhook (by id), replay, delivery, send key, queued mail, mail that left, usage (by inbox), the
/// creations of a day, mail for the operator, share of service mail (by subject).
/// Nothing waits for the network between begin and commit.
#[async_trait]
pub trait Tx: Send {
    /// Organizations, their pods and codes.
    fn accounts(&mut self) -> &mut dyn AccountWrites;
    /// API keys.
    fn api_keys(&mut self) -> &mut dyn ApiKeyWrites;
    /// What arriving mail asks.
    fn inbound(&mut self) -> &mut dyn InboundQueries;
    /// Drafts.
    fn drafts(&mut self) -> &mut dyn DraftWrites;
    /// What each `client_id` made.
    fn client_ids(&mut self) -> &mut dyn ClientIdWrites;
    /// The queue of events for webhooks.
    fn deliveries(&mut self) -> &mut dyn DeliveryWrites;
    /// What webhooks are told again.
    fn replays(&mut self) -> &mut dyn ReplayWrites;
    /// Custom domains.
    fn domains(&mut self) -> &mut dyn DomainWrites;
    /// Who pays.
    fn billing(&mut self) -> &mut dyn BillingWrites;
    /// Inboxes.
    fn inboxes(&mut self) -> &mut dyn InboxWrites;
    /// Allow and block lists.
    fn lists(&mut self) -> &mut dyn ListWrites;
    /// Shares of service mail.
    fn mail_quotas(&mut self) -> &mut dyn MailQuotaWrites;
    /// The people of organizations.
    fn members(&mut self) -> &mut dyn MemberWrites;
    /// Messages.
    fn messages(&mut self) -> &mut dyn MessageWrites;
    /// Threads.
    fn threads(&mut self) -> &mut dyn ThreadWrites;
    /// Notes.
    fn notes(&mut self) -> &mut dyn NoteWrites;
    /// Events.
    fn events(&mut self) -> &mut dyn EventWrites;
    /// What callers did to labels.
    fn label_history(&mut self) -> &mut dyn LabelHistoryWrites;
    /// Mail for the operator.
    fn operator_mails(&mut self) -> &mut dyn OperatorMailWrites;
    /// The outgoing queue.
    fn outgoing(&mut self) -> &mut dyn OutgoingWrites;
    /// Pods.
    fn pods(&mut self) -> &mut dyn PodWrites;
    /// Mail that left, by its return paths.
    fn return_paths(&mut self) -> &mut dyn ReturnPathWrites;
    /// Keys of repeatable sends.
    fn idempotency_keys(&mut self) -> &mut dyn IdempotencyKeyWrites;
    /// Codes by which people sign in.
    fn sign_ins(&mut self) -> &mut dyn SignInWrites;
    /// Suppressed addresses.
    fn suppressions(&mut self) -> &mut dyn SuppressionWrites;
    /// What is used, against the caps.
    fn usage(&mut self) -> &mut dyn UsageWrites;
    /// Webhooks.
    fn webhooks(&mut self) -> &mut dyn WebhookWrites;

    /// Makes all of it happen, durably. What was asked for last may be written only now. Its events have their places in the
    /// feed with it, unless others are getting theirs.
    ///
    /// # Errors
    /// When it could not; then nothing happened, but for [`StoreError::Undecided`]. [`StoreError::Contention`] where what was
    /// to be changed is not as it was.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;

    /// Stores mail as the last of the unit of work, and makes all of it happen, in one go: messages with their bodies, labels
    /// and raw mail, and the threads, events, queued mail and changes of usage that they make.
    ///
    /// # Errors
    /// As [`Self::commit`]; [`StoreError::Contention`] where a thread that messages join is not as it was, and
    /// [`Constraint::MessageId`] where an inbox has a message of the same id.
    async fn commit_with(self: Box<Self>, mail: &NewMail) -> Result<(), StoreError>;
}

/// A rule of uniqueness that storage keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constraint {
    /// One account an owner address.
    OwnerEmail,
    /// One inbox an address, for ever.
    Address,
    /// One inbox a `client_id` within an organization.
    InboxClientId,
    /// One pod a `client_id` within an organization.
    PodClientId,
    /// One entry of a name in a list.
    ListEntry,
    /// One member an address within an organization.
    MemberEmail,
    /// One message an id within an inbox.
    MessageId,
}

/// Why storage did not do what was asked. Nothing was changed, but perhaps by a commit that is [`Self::Undecided`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A rule of uniqueness stands against it.
    #[error("not unique: {0:?}")]
    Duplicate(Constraint),
    /// Two units of work stood in each other's way; the same again will do.
    #[error("another change came between; try again")]
    Contention,
    /// A lock was not granted within its [`LockWait`].
    #[error("row lock not granted in time; try again later")]
    LockTimeout,
    /// It cannot be reached, or has no connection free.
    #[error("storage is unavailable: {0}")]
    Unavailable(String),
    /// The answer to a commit was lost: what it was to store may be stored, or not.
    #[error("storage did not say whether it is done: {0}")]
    Undecided(String),
    /// Anything else.
    #[error("storage failed: {0}")]
    Failed(String),
}
