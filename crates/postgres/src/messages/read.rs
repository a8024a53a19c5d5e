//! Reads of messages.

use async_trait::async_trait;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{
    AttachmentId, HidingLabels, InboxId, Message, MessageId, MessageItem, OrganizationId, Page, ThreadId,
};
use inboxd_core::ports::{MessageQuery, MessageReads, RawSource, StoreError};
use inboxd_core::rules::response_limits::MAX_BODY_BYTES;

use super::get::MessageLookup;
use super::list;
use super::rows::{
    BODIES, BODY, BODY_BYTES, BODY_OF_MESSAGE, BY_IDS, IN_THREAD, INBOX_LIVES, ITEM, ItemRow, MessageRow, PagedRow,
    RawRow, SizeRow, unseen,
};
use crate::json::to_json;
use crate::keyset::rows_to_read;
use crate::sql::Sql;
use crate::store::PgStore;

#[async_trait]
impl MessageReads for PgStore {
    async fn list_messages(&self, query: &MessageQuery) -> Result<Page<MessageItem>, StoreError> {
        list::list(self, query).await
    }

    async fn message(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
    ) -> Result<Option<Message>, StoreError> {
        let (inbox, id) = (inbox_id.clone(), message_id.clone());
        let wanted = MessageLookup { organization_id, inbox_id: inbox, message_id: id, readable };
        if let Some(message) = self.messages.query(wanted).await? {
            return Ok(Some(message));
        }
        // It is missing, or its bodies are too large for a shared read.
        if self.body_sizes(organization_id, inbox_id, std::slice::from_ref(message_id), readable).await?.is_empty() {
            return Ok(None);
        }
        let _permit = self.large_reads.acquire().await;
        let found = self.messages(organization_id, inbox_id, std::slice::from_ref(message_id), readable).await?;
        Ok(found.into_iter().next())
    }

    async fn messages(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
        readable: HidingLabels,
    ) -> Result<Vec<Message>, StoreError> {
        let text = format!(
            "SELECT {ITEM}, {BODY} FROM {BY_IDS} {BODIES} WHERE m.hidden & $4 = 0 AND {INBOX_LIVES}
            ORDER BY m.timestamp DESC, m.message_id DESC"
        );
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .texts(message_ids.iter().map(MessageId::as_str))
            .small(unseen(readable))
            .rows::<MessageRow>(&mut *self.connection().await?)
            .await?;
        rows.into_iter().map(MessageRow::entity).collect()
    }

    async fn body_sizes(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
        readable: HidingLabels,
    ) -> Result<Vec<u64>, StoreError> {
        let text = format!(
            "SELECT {BODY_BYTES} AS bytes FROM {BY_IDS} {BODIES} WHERE m.hidden & $4 = 0 AND {INBOX_LIVES}
            ORDER BY m.timestamp DESC, m.message_id DESC"
        );
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .texts(message_ids.iter().map(MessageId::as_str))
            .small(unseen(readable))
            .rows::<SizeRow>(&mut *self.connection().await?)
            .await?;
        Ok(rows.iter().map(SizeRow::bytes).collect())
    }

    async fn messages_of_thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        readable: HidingLabels,
        limit: u32,
        after: Option<Cursor>,
    ) -> Result<Page<Message>, StoreError> {
        // The subquery has one message more than the page, with the cumulative bytes of the bodies. Bodies are read
        // only for the messages of the page.
        let text = format!(
            "SELECT {ITEM}, {BODY}, m.more FROM (
                SELECT m.*, row_number() OVER walk AS number, sum({BODY_BYTES}) OVER walk AS bytes,
                    lead(true, 1, false) OVER walk AS more
                FROM (
                    SELECT m.* FROM messages m
                    WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.thread_id = $3 AND m.hidden & $4 = 0 AND {IN_THREAD}
                        {behind}
                        AND {INBOX_LIVES}
                    ORDER BY m.timestamp DESC, m.message_id DESC LIMIT $5
                ) m JOIN message_bodies b ON {BODY_OF_MESSAGE}
                WINDOW walk AS (ORDER BY m.timestamp DESC, m.message_id DESC)
            ) m JOIN message_bodies b ON {BODY_OF_MESSAGE}
            WHERE m.number < $5 AND (m.number = 1 OR m.bytes <= $8)
            ORDER BY m.timestamp DESC, m.message_id DESC",
            behind = if after.is_some() { "AND (m.timestamp, m.message_id) < ($6, $7)" } else { "" },
        );
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .uuid(thread_id.0)
            .small(unseen(readable))
            .big(rows_to_read(limit))
            .optional_time(after.as_ref().map(|cursor| cursor.time))
            .optional_text(after.as_ref().map(|cursor| cursor.id.as_str()))
            .big(i64::try_from(MAX_BODY_BYTES).unwrap_or(i64::MAX))
            .rows::<PagedRow>(&mut *self.connection().await?)
            .await?;
        PagedRow::page(rows)
    }

    async fn raw_message(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
    ) -> Result<Option<RawSource>, StoreError> {
        let text = format!(
            "SELECT {ITEM}, b.raw FROM messages m JOIN message_bodies b ON {BODY_OF_MESSAGE}
            WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.message_id = $3 AND m.hidden & $4 = 0 AND {INBOX_LIVES}"
        );
        let row = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .text(message_id.as_str())
            .small(unseen(readable))
            .row::<RawRow>(&mut *self.connection().await?)
            .await?;
        row.map(RawRow::entity).transpose()
    }

    async fn message_item(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
    ) -> Result<Option<MessageItem>, StoreError> {
        let text = format!("SELECT {ITEM} FROM {BY_IDS} WHERE m.hidden & $4 = 0 AND {INBOX_LIVES}");
        let row = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .texts([message_id.as_str()])
            .small(unseen(readable))
            .row::<ItemRow>(&mut *self.connection().await?)
            .await?;
        row.map(ItemRow::entity).transpose()
    }

    async fn item_with_attachment(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        attachment_id: AttachmentId,
        readable: HidingLabels,
    ) -> Result<Option<MessageItem>, StoreError> {
        let text = format!(
            "SELECT {ITEM} FROM messages m
            WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.thread_id = $3 AND m.hidden & $4 = 0
                AND {IN_THREAD} AND m.attachments @> $5 AND {INBOX_LIVES}
            LIMIT 1"
        );
        let row = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .uuid(thread_id.0)
            .small(unseen(readable))
            .json(to_json(&serde_json::json!([{ "attachment_id": attachment_id }]))?)
            .row::<ItemRow>(&mut *self.connection().await?)
            .await?;
        row.map(ItemRow::entity).transpose()
    }
}
