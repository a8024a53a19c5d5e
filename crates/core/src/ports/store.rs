//! The unit of work, and the one error that storage speaks.

use async_trait::async_trait;

use super::{
    AccountReads, Accounts, ApiKeyReads, ApiKeys, Arrivals, Billing, BillingReads, ClientIds, Deliveries,
    DeliveryReads, DomainReads, Domains, DraftReads, Drafts, EventReads, Events, FeedReads, InboxReads, Inboxes,
    LabelHistory, LabelHistoryReads, ListReads, Lists, MailQuotas, MemberReads, Members, MessageReads, Messages,
    MetricReads, NoteReads, Notes, OperatorMails, OutgoingQueue, OutgoingReads, PodReads, Pods, Processes, Replays,
    ReturnPathReads, ReturnPaths, SearchIndex, SendKeys, SignIns, SuppressionReads, Suppressions, ThreadReads, Threads,
    Usage, WebhookReads, Webhooks,
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
    fn accounts(&mut self) -> &mut dyn Accounts;
    /// API keys.
    fn api_keys(&mut self) -> &mut dyn ApiKeys;
    /// What arriving mail asks.
    fn arrivals(&mut self) -> &mut dyn Arrivals;
    /// Drafts.
    fn drafts(&mut self) -> &mut dyn Drafts;
    /// What each `client_id` made.
    fn client_ids(&mut self) -> &mut dyn ClientIds;
    /// The queue of events for webhooks.
    fn deliveries(&mut self) -> &mut dyn Deliveries;
    /// What webhooks are told again.
    fn replays(&mut self) -> &mut dyn Replays;
    /// Custom domains.
    fn domains(&mut self) -> &mut dyn Domains;
    /// Who pays.
    fn billing(&mut self) -> &mut dyn Billing;
    /// Inboxes.
    fn inboxes(&mut self) -> &mut dyn Inboxes;
    /// Allow and block lists.
    fn lists(&mut self) -> &mut dyn Lists;
    /// Shares of service mail.
    fn mail_quotas(&mut self) -> &mut dyn MailQuotas;
    /// The people of organizations.
    fn members(&mut self) -> &mut dyn Members;
    /// Messages.
    fn messages(&mut self) -> &mut dyn Messages;
    /// Threads.
    fn threads(&mut self) -> &mut dyn Threads;
    /// Notes.
    fn notes(&mut self) -> &mut dyn Notes;
    /// Events.
    fn events(&mut self) -> &mut dyn Events;
    /// What callers did to labels.
    fn label_history(&mut self) -> &mut dyn LabelHistory;
    /// Mail for the operator.
    fn operator_mails(&mut self) -> &mut dyn OperatorMails;
    /// The outgoing queue.
    fn outgoing(&mut self) -> &mut dyn OutgoingQueue;
    /// Pods.
    fn pods(&mut self) -> &mut dyn Pods;
    /// Mail that left, by its return paths.
    fn return_paths(&mut self) -> &mut dyn ReturnPaths;
    /// Keys of repeatable sends.
    fn send_keys(&mut self) -> &mut dyn SendKeys;
    /// Codes by which people sign in.
    fn sign_ins(&mut self) -> &mut dyn SignIns;
    /// Suppressed addresses.
    fn suppressions(&mut self) -> &mut dyn Suppressions;
    /// What is used, against the caps.
    fn usage(&mut self) -> &mut dyn Usage;
    /// Webhooks.
    fn webhooks(&mut self) -> &mut dyn Webhooks;

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
