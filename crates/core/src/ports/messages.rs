//! Messages.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{
    Cursor, HidingLabels, InboxId, Labels, Message, MessageId, MessageItem, OrganizationId, Page, PageRequest, ThreadId,
};
use crate::rules::loops::ExhaustedLoopBudget;

/// Which messages of an inbox to list. Every condition that is named must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Those that carry all of these labels.
    pub labels: Vec<String>,
    /// Those strictly before this.
    pub before: Option<OffsetDateTime>,
    /// Those strictly after this.
    pub after: Option<OffsetDateTime>,
    /// Those with other hiding labels than these are left out.
    pub included: HidingLabels,
    /// Substrings of the sender, each in lower case.
    pub from: Vec<String>,
    /// Substrings of a recipient in To, Cc or Bcc, each in lower case.
    pub to: Vec<String>,
    /// Substrings of the subject, each in lower case.
    pub subject: Vec<String>,
    /// A substring of sender, recipients, subject or text, in lower case.
    pub search: Option<String>,
    /// The envelope recipient, in lower case.
    pub delivered_to: Option<String>,
    /// The tag of the envelope recipient, in lower case.
    pub tag: Option<String>,
    /// Which page; ordered by timestamp.
    pub page: PageRequest,
}

/// A message and the octets of its mail.
#[derive(Debug, Clone, PartialEq)]
pub struct RawSource {
    /// The message.
    pub item: MessageItem,
    /// The mail, octet for octet.
    pub raw: Vec<u8>,
}

/// Questions about messages.
#[port]
pub trait MessageReads {
    /// A page of messages, without their bodies.
    async fn list_messages(&self, query: &MessageQuery) -> Result<Page<MessageItem>, StoreError>;

    /// A message with its bodies; nothing where it, or a live inbox, is not there, or where it has other hiding labels
    /// than `readable`. The answer is as new as the question, though those who ask at the same moment may share it.
    async fn message(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
    ) -> Result<Option<Message>, StoreError>;

    /// Messages with their bodies, newest first; unknown ids and those with other hiding labels than `readable` are
    /// left out.
    async fn messages(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
        readable: HidingLabels,
    ) -> Result<Vec<Message>, StoreError>;

    /// The octets of the bodies of messages, header fields included, newest first; those are left out that
    /// [`messages`](Self::messages) leaves out.
    async fn body_sizes(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
        readable: HidingLabels,
    ) -> Result<Vec<u64>, StoreError>;

    /// A page of a thread's messages with their bodies, newest first. It ends before its `limit` where the bodies would
    /// be more than [`MAX_BODY_BYTES`](crate::rules::response_limits::MAX_BODY_BYTES), and holds one message at least.
    async fn messages_of_thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        readable: HidingLabels,
        limit: u32,
        after: Option<Cursor>,
    ) -> Result<Page<Message>, StoreError>;

    /// A message and its raw mail.
    async fn raw_message(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
    ) -> Result<Option<RawSource>, StoreError>;

    /// Returns a message without its bodies and its mail.
    async fn message_item(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
    ) -> Result<Option<MessageItem>, StoreError>;

    /// Returns the message of a thread that holds an attachment, without its bodies and its mail.
    async fn item_with_attachment(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        attachment_id: crate::model::AttachmentId,
        readable: HidingLabels,
    ) -> Result<Option<MessageItem>, StoreError>;
}

/// Changes of messages.
#[port]
pub trait MessageWrites: Send {
    /// To which of these addresses keys have sent at least `budget` mails in the thread after this time, and when the
    /// oldest of the newest `budget` was sent. Exact under the organization's lock.
    async fn spent_budgets(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        addresses: &[EmailAddress],
        after: OffsetDateTime,
        budget: u32,
    ) -> Result<Vec<ExhaustedLoopBudget>, StoreError>;

    /// Reads messages without their bodies, in the order of their ids; unknown ids are left out. Whoever changes them
    /// holds the locks of their threads, so that no lock of their own is needed.
    async fn items(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
    ) -> Result<Vec<MessageItem>, StoreError>;

    /// Messages of a thread without their bodies, oldest first: up to `limit` of those behind `after`. The thread's lock
    /// is held by the caller.
    async fn of_thread(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        limit: u32,
        after: Option<Cursor>,
    ) -> Result<Vec<MessageItem>, StoreError>;

    /// The labels of a thread's messages together. The thread's lock is held by the caller.
    async fn labels_of_thread(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<Labels, StoreError>;

    /// Stores the labels of messages, each once, and their times of change, at the latest with the commit, which then says
    /// [`StoreError::Contention`] of one that is not there. The locks of their threads are held by the caller.
    async fn update_labels(&mut self, messages: &[MessageItem]) -> Result<(), StoreError>;

    /// Deletes messages with all that belongs to them. Mail of theirs that waits in the outgoing queue goes on its way.
    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
    ) -> Result<(), StoreError>;
}
