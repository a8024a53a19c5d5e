//! Reads outside units of work: an inbox, its address, and the messages in it.

use async_trait::async_trait;
use inboxd_core::model::{
    AttachmentId, Content, ContentFilter, Cursor, EntryName, HidingLabels, Inbox, InboxId, ListEntry, ListKey, Message,
    MessageId, MessageItem, OrganizationId, Page, PageRequest, ThreadId,
};
use inboxd_core::ports::{
    Destination, InboxQuery, InboxReads, InboxSearch, ListReads, MessageQuery, MessageReads, RawSource,
    RecipientPolicy, RecipientPolicyQuery, RecipientRoute, StoreError,
};
use inboxd_mail::EmailAddress;

use crate::memory::{Memory, unused};

#[async_trait]
impl InboxReads for Memory {
    async fn inbox(&self, of: OrganizationId, inbox_id: &InboxId) -> Result<Option<Inbox>, StoreError> {
        let is_meant = |inbox: &&Inbox| inbox.organization_id == of && inbox.inbox_id == *inbox_id;
        Ok(self.state().inboxes.iter().find(is_meant).cloned())
    }

    async fn destinations(&self, addresses: &[EmailAddress]) -> Result<Vec<Option<RecipientRoute>>, StoreError> {
        let state = self.state();
        let destination = |address: &EmailAddress| {
            let inbox = state.inboxes.iter().find(|inbox| inbox.inbox_id.as_str() == address.without_tag())?;
            let Inbox { organization_id, pod_id, inbox_id, .. } = inbox.clone();
            Some(Destination { organization_id, pod_id, inbox_id }.into())
        };
        Ok(addresses.iter().map(destination).collect())
    }

    async fn list_inboxes(&self, _: &InboxQuery) -> Result<Page<Inbox>, StoreError> {
        unused("InboxReads::list_inboxes")
    }

    async fn search_inboxes(&self, _: &InboxSearch) -> Result<Page<Inbox>, StoreError> {
        unused("InboxReads::search_inboxes")
    }
}

#[async_trait]
impl MessageReads for Memory {
    // Of the conditions of a query this program uses none but the inbox and the hiding labels.
    async fn list_messages(&self, query: &MessageQuery) -> Result<Page<MessageItem>, StoreError> {
        let state = self.state();
        let items = state.messages.iter().rev().map(|stored| &stored.message.item);
        let is_meant = |item: &&MessageItem| {
            item.inbox_id == query.inbox_id && HidingLabels::of(&item.labels).shown_to(query.included)
        };
        let rows = items.filter(is_meant).cloned().collect();
        let cursor = |item: &MessageItem| Cursor { time: item.timestamp, id: item.message_id.to_string() };
        Ok(Page::of(rows, query.page.limit, cursor))
    }

    async fn message(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
    ) -> Result<Option<Message>, StoreError> {
        let found = self.messages(organization_id, inbox_id, std::slice::from_ref(message_id), readable).await?;
        Ok(found.into_iter().next())
    }

    async fn messages(
        &self,
        _: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
        readable: HidingLabels,
    ) -> Result<Vec<Message>, StoreError> {
        let state = self.state();
        let messages = state.messages.iter().rev().map(|stored| &stored.message);
        let is_meant = |message: &&Message| {
            let item = &message.item;
            item.inbox_id == *inbox_id
                && message_ids.contains(&item.message_id)
                && HidingLabels::of(&item.labels).shown_to(readable)
        };
        Ok(messages.filter(is_meant).cloned().collect())
    }

    async fn body_sizes(
        &self,
        _: OrganizationId,
        _: &InboxId,
        _: &[MessageId],
        _: HidingLabels,
    ) -> Result<Vec<u64>, StoreError> {
        unused("MessageReads::body_sizes")
    }

    async fn messages_of_thread(
        &self,
        _: OrganizationId,
        _: &InboxId,
        _: ThreadId,
        _: HidingLabels,
        _: u32,
        _: Option<Cursor>,
    ) -> Result<Page<Message>, StoreError> {
        unused("MessageReads::messages_of_thread")
    }

    async fn raw_message(
        &self,
        _: OrganizationId,
        _: &InboxId,
        _: &MessageId,
        _: HidingLabels,
    ) -> Result<Option<RawSource>, StoreError> {
        unused("MessageReads::raw_message")
    }

    async fn raw_content(
        &self,
        _: OrganizationId,
        _: &InboxId,
        _: &MessageId,
        _: HidingLabels,
        _: ContentFilter,
    ) -> Result<Option<(MessageItem, Content)>, StoreError> {
        unused("MessageReads::raw_content")
    }

    async fn message_item(
        &self,
        _: OrganizationId,
        _: &InboxId,
        _: &MessageId,
        _: HidingLabels,
    ) -> Result<Option<MessageItem>, StoreError> {
        unused("MessageReads::message_item")
    }

    async fn item_with_attachment(
        &self,
        _: OrganizationId,
        _: &InboxId,
        _: ThreadId,
        _: AttachmentId,
        _: HidingLabels,
    ) -> Result<Option<MessageItem>, StoreError> {
        unused("MessageReads::item_with_attachment")
    }
}

#[async_trait]
impl ListReads for Memory {
    // There are no lists here, so every sender passes.
    async fn recipient_policy(&self, _: &RecipientPolicyQuery) -> Result<RecipientPolicy, StoreError> {
        unused("ListReads::recipient_policy")
    }

    async fn list_entries(&self, _: &ListKey, _: &PageRequest) -> Result<Page<ListEntry>, StoreError> {
        unused("ListReads::list_entries")
    }

    async fn list_entry(&self, _: &ListKey, _: &EntryName) -> Result<Option<ListEntry>, StoreError> {
        unused("ListReads::list_entry")
    }
}
