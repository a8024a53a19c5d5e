//! Reads of messages.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Binary, Nullable};
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{
    AttachmentId, Content, ContentFilter, HidingLabels, InboxId, Message, MessageId, MessageItem, OrganizationId, Page,
    ThreadId,
};
use inboxd_core::ports::{MessageQuery, MessageReads, RawSource, StoreError};
use inboxd_core::rules::response_limits::MAX_BODY_BYTES;

use super::get::MessageLookup;
use super::rows::{
    BODY_OF_MESSAGE, BY_IDS, FINDINGS, INBOX_LIVES, ITEM, ItemRow, MessageRow, PagedRow, SizeRow, unseen,
};
use super::{list, search};
use crate::blobs::rows::{BLOB, BlobRow};
use crate::blobs::{content_condition, raw_of_row};
use crate::json::to_json;
use crate::keyset::rows_to_read;
use crate::sql::Sql;
use crate::store::PgStore;

/// A message with the frame of its raw source.
#[derive(QueryableByName)]
struct RawRow {
    #[diesel(embed)]
    item: ItemRow,
    /// `None` for an object.
    #[diesel(sql_type = Nullable<Binary>)]
    raw: Option<Vec<u8>>,
    #[diesel(embed)]
    blob: BlobRow,
}

impl RawRow {
    async fn entity(self) -> Result<(MessageItem, Content), StoreError> {
        let item = self.item.entity()?;
        let blob = self.blob.entity(item.organization_id)?;
        let raw = raw_of_row(self.raw, blob).await?;
        let raw = raw.ok_or_else(|| StoreError::Failed("a message has no raw mail".to_owned()))?;
        Ok((item, raw))
    }
}

#[async_trait]
impl MessageReads for PgStore {
    async fn list_messages(&self, query: &MessageQuery) -> Result<Page<MessageItem>, StoreError> {
        if list::is_searched(query)
            && let Some(page) = search::search(self, query).await?
        {
            return Ok(page);
        }
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
            "SELECT {ITEM}, {FINDINGS}, b.body FROM {BY_IDS} JOIN message_bodies b ON {BODY_OF_MESSAGE}
            WHERE m.hidden & $4 = 0 AND {INBOX_LIVES}
            ORDER BY m.timestamp DESC, m.message_id DESC"
        );
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .texts(message_ids.iter().map(MessageId::as_str))
            .small(unseen(readable))
            .rows::<MessageRow>(&mut *self.connection().await?)
            .await?;
        MessageRow::entities(rows).await
    }

    async fn body_sizes(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
        readable: HidingLabels,
    ) -> Result<Vec<u64>, StoreError> {
        let text = format!(
            "SELECT b.body_bytes AS bytes FROM {BY_IDS} JOIN message_bodies b ON {BODY_OF_MESSAGE}
            WHERE m.hidden & $4 = 0 AND {INBOX_LIVES}
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
            "SELECT {ITEM}, {FINDINGS}, b.body, m.more FROM (
                SELECT m.*, row_number() OVER walk AS number, sum(b.body_bytes) OVER walk AS bytes,
                    lead(true, 1, false) OVER walk AS more
                FROM (
                    SELECT m.* FROM messages m
                    WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.thread_id = $3 AND m.hidden & $4 = 0
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
        PagedRow::page(rows).await
    }

    async fn raw_message(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
    ) -> Result<Option<RawSource>, StoreError> {
        let found = self.raw_content(organization_id, inbox_id, message_id, readable, ContentFilter::All).await?;
        let Some((item, content)) = found else { return Ok(None) };
        let raw = self.read_content(content).await?;
        Ok(Some(RawSource { item, raw }))
    }

    async fn raw_content(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: HidingLabels,
        filter: ContentFilter,
    ) -> Result<Option<(MessageItem, Content)>, StoreError> {
        let text = format!(
            "SELECT {ITEM}, CASE WHEN x.blob_id IS NULL THEN coalesce(b.large_raw, b.body) END AS raw, {BLOB}
            FROM messages m JOIN message_bodies b ON {BODY_OF_MESSAGE}
                LEFT JOIN blobs x ON x.organization_id = b.organization_id AND x.blob_id = b.blob_id
            WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.message_id = $3 AND m.hidden & $4 = 0 AND {INBOX_LIVES}
                AND {condition}",
            condition = content_condition(filter),
        );
        let row = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .text(message_id.as_str())
            .small(unseen(readable))
            .row::<RawRow>(&mut *self.connection().await?)
            .await?;
        match row {
            Some(row) => row.entity().await.map(Some),
            None => Ok(None),
        }
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
                AND m.attachments @> $5 AND {INBOX_LIVES}
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
