//! Messages.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{
    Content, ContentFilter, Cursor, HidingLabels, InboxId, Labels, Message, MessageId, MessageItem, OrganizationId,
    Page, PageRequest, SecurityFeedback, ThreadId,
};
use crate::rules::loops::ExhaustedLoopBudget;
use crate::rules::trust::Verdict;

/// Filter and page of a message list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Only messages with all of these labels.
    pub labels: Vec<String>,
    /// Only messages before this time, exclusive.
    pub before: Option<OffsetDateTime>,
    /// Only messages after this time, exclusive.
    pub after: Option<OffsetDateTime>,
    /// Excludes messages with other hiding labels than these.
    pub included: HidingLabels,
    /// Substrings of the sender, in lower case.
    pub from: Vec<String>,
    /// Substrings of a recipient in To, Cc or Bcc, in lower case.
    pub to: Vec<String>,
    /// Substrings of the subject, in lower case.
    pub subject: Vec<String>,
    /// A substring of sender, recipients, subject or text, in lower case.
    pub search: Option<String>,
    /// The envelope recipient, in lower case.
    pub delivered_to: Option<String>,
    /// The tag of the envelope recipient, in lower case.
    pub tag: Option<String>,
    /// The verdicts, of which a message must have one; empty for no condition.
    pub trust: Vec<Verdict>,
    /// The page, ordered by timestamp.
    pub page: PageRequest,
}

/// A message and its raw content.
#[derive(Debug, Clone, PartialEq)]
pub struct RawSource {
    /// The message.
    pub item: MessageItem,
    /// The raw message, byte for byte.
    pub raw: Vec<u8>,
}

/// Reads of messages.
#[port]
pub trait MessageReads {
    /// Returns a page of messages without bodies.
    async fn list_messages(&self, query: &MessageQuery) -> Result<Page<MessageItem>, StoreError>;

    /// Returns a message with its bodies. `None` if the message or a live inbox is missing, or if it has other hiding
    /// labels than `readable`. The result is never cached; concurrent calls can share a query.
    async fn message(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
    ) -> Result<Option<Message>, StoreError>;

    /// Returns messages with bodies, newest first. Unknown ids and messages with other hiding labels than `readable`
    /// are left out.
    async fn messages(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
        readable: HidingLabels,
    ) -> Result<Vec<Message>, StoreError>;

    /// Returns the sizes of message bodies in bytes, header fields included, newest first. Leaves out the same messages
    /// as [`messages`](Self::messages).
    async fn body_sizes(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
        readable: HidingLabels,
    ) -> Result<Vec<u64>, StoreError>;

    /// Returns a page of the messages of a thread with bodies, newest first. The page ends early when bodies would
    /// exceed [`MAX_BODY_BYTES`](crate::rules::response_limits::MAX_BODY_BYTES), but has at least one message.
    async fn messages_of_thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        readable: HidingLabels,
        limit: u32,
        after: Option<Cursor>,
    ) -> Result<Page<Message>, StoreError>;

    /// Returns a message and its raw content.
    async fn raw_message(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
    ) -> Result<Option<RawSource>, StoreError>;

    /// Returns a message and its raw content, or the object of that; `None` also for a content that the filter excludes.
    async fn raw_content(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
        filter: ContentFilter,
    ) -> Result<Option<(MessageItem, Content)>, StoreError>;

    /// Returns a message without bodies and raw content.
    async fn message_item(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
    ) -> Result<Option<MessageItem>, StoreError>;

    /// Returns the message of a thread that holds an attachment, without bodies and raw content.
    async fn item_with_attachment(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        attachment_id: crate::model::AttachmentId,
        readable: HidingLabels,
    ) -> Result<Option<MessageItem>, StoreError>;
}

/// Writes of messages.
#[port]
pub trait MessageWrites: Send {
    /// Returns the addresses to which keys have sent at least `budget` messages in the thread after this time. Each
    /// result has the time of the oldest of the newest `budget` sends. Exact under the lock of the organization.
    async fn spent_budgets(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        addresses: &[EmailAddress],
        after: OffsetDateTime,
        budget: u32,
    ) -> Result<Vec<ExhaustedLoopBudget>, StoreError>;

    /// Returns messages without bodies, in the order of their ids; unknown ids are left out. Writers hold the thread
    /// locks, so messages need no locks of their own.
    async fn items(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
    ) -> Result<Vec<MessageItem>, StoreError>;

    /// Returns up to `limit` messages of a thread after `after`, oldest first, without bodies. The caller holds the
    /// thread lock.
    async fn of_thread(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        limit: u32,
        after: Option<Cursor>,
    ) -> Result<Vec<MessageItem>, StoreError>;

    /// Returns up to `limit` messages of an inbox before this time, oldest first, whatever their labels, without bodies.
    async fn expired(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        before: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<MessageItem>, StoreError>;

    /// Returns the union of the labels of the messages of a thread. The caller holds the thread lock.
    async fn labels_of_thread(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<Labels, StoreError>;

    /// Stores the labels and modification times of messages, at the latest with the commit. The commit fails with
    /// [`StoreError::Contention`] if a message is missing. The caller holds the thread locks; `messages` must not
    /// repeat a message.
    async fn update_labels(&mut self, messages: &[MessageItem]) -> Result<(), StoreError>;

    /// Stores the release of a message. The caller holds the thread lock.
    async fn store_release(&mut self, message: &MessageItem) -> Result<(), StoreError>;

    /// Replaces a message by its redacted form, with these header fields alone. Deletes its bodies, raw content, spam
    /// report, captured copies and the responses of webhooks to its events; no search finds it. Labels and times stay.
    /// The caller holds the thread lock.
    async fn redact(&mut self, message: &MessageItem, headers: &[(String, String)]) -> Result<(), StoreError>;

    /// Adds feedback to a message with fewer than `limit` pieces. Returns whether it did; `None` without the message.
    async fn add_feedback(
        &mut self,
        message: &MessageItem,
        feedback: &SecurityFeedback,
        limit: u32,
    ) -> Result<Option<bool>, StoreError>;

    /// Deletes messages with their dependent rows. Their queued copies are still delivered.
    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
    ) -> Result<(), StoreError>;
}
