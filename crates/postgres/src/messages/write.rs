//! Changes of messages.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Binary, Nullable, Uuid as SqlUuid};
use inboxd_core::model::{Hidden, InboxId, MessageId, MessageItem, NewMessage, OrganizationId, ThreadId};
use inboxd_core::ports::{Messages, PossibleRepeat, StoreError};
use uuid::Uuid;

use super::delete::delete_messages;
use super::insert;
use super::rows::{INBOX_LIVES, ITEM, ItemRow};
use crate::accounts::stored_hash;
use crate::error::expect_rows;
use crate::sql::Sql;
use crate::tx::PgTx;

/// The labels' rows are keyed by what is shown of the message, so that those whose key stays are left alone: within one
/// statement a key cannot be deleted and inserted again.
const UPDATE_LABELS: &str = "
    WITH old AS (
        SELECT labels, hidden, timestamp FROM messages
        WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3
    ), gone AS (
        DELETE FROM message_labels l
        USING old CROSS JOIN LATERAL unnest(old.labels) AS was(label)
        WHERE l.organization_id = $1 AND l.inbox_id = $2 AND l.label = was.label AND l.hidden = old.hidden
            AND l.timestamp = old.timestamp AND l.message_id = $3
            AND NOT (old.hidden = $5 AND was.label = ANY($4))
    ), come AS (
        INSERT INTO message_labels (organization_id, inbox_id, label, hidden, timestamp, message_id)
        SELECT $1, $2, becomes.label, $5, old.timestamp, $3
        FROM old CROSS JOIN unnest($4::text[]) AS becomes(label)
        WHERE NOT (old.hidden = $5 AND becomes.label = ANY(old.labels))
    )
    UPDATE messages SET labels = $4, hidden = $5, updated_at = $6
    WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3";

#[derive(QueryableByName)]
struct DigestRow {
    #[diesel(sql_type = Nullable<Binary>)]
    digest: Option<Vec<u8>>,
}

#[derive(QueryableByName)]
struct ThreadRow {
    #[diesel(sql_type = SqlUuid)]
    thread_id: Uuid,
}

#[async_trait]
impl Messages for PgTx {
    async fn insert(&mut self, message: &NewMessage) -> Result<(), StoreError> {
        insert::insert(self.connection()?, message).await
    }

    async fn possible_repeats(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
    ) -> Result<Vec<PossibleRepeat>, StoreError> {
        let text = "
            SELECT digest FROM messages WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3
            UNION ALL
            SELECT digest FROM messages WHERE organization_id = $1 AND inbox_id = $2 AND header_message_id = $3";
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .text(message_id.as_str())
            .rows::<DigestRow>(self.connection()?)
            .await?;
        rows.into_iter().map(|row| Ok(PossibleRepeat { digest: row.digest.map(stored_hash).transpose()? })).collect()
    }

    async fn thread_of_first(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
    ) -> Result<Option<ThreadId>, StoreError> {
        if message_ids.is_empty() {
            return Ok(None);
        }
        let text = "SELECT m.thread_id
            FROM unnest($3::text[]) WITH ORDINALITY AS wanted(message_id, place)
            JOIN messages m ON m.organization_id = $1 AND m.inbox_id = $2 AND m.message_id = wanted.message_id
            ORDER BY wanted.place LIMIT 1";
        let row = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .texts(message_ids.iter().map(MessageId::as_str))
            .row::<ThreadRow>(self.connection()?)
            .await?;
        Ok(row.map(|row| row.thread_id.into()))
    }

    async fn any_sent(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
    ) -> Result<bool, StoreError> {
        let text = "SELECT m.thread_id FROM messages m
            WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.message_id = ANY($3) AND 'sent' = ANY(m.labels)
            LIMIT 1";
        let row = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .texts(message_ids.iter().map(MessageId::as_str))
            .row::<ThreadRow>(self.connection()?)
            .await?;
        Ok(row.is_some())
    }

    async fn items(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
    ) -> Result<Vec<MessageItem>, StoreError> {
        let text = format!(
            "SELECT {ITEM} FROM messages m
            WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.message_id = ANY($3) AND {INBOX_LIVES}
            ORDER BY m.message_id"
        );
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .texts(message_ids.iter().map(MessageId::as_str))
            .rows::<ItemRow>(self.connection()?)
            .await?;
        rows.into_iter().map(ItemRow::entity).collect()
    }

    async fn of_thread(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<Vec<MessageItem>, StoreError> {
        let text = format!(
            "SELECT {ITEM} FROM messages m
            WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.thread_id = $3 AND {INBOX_LIVES}
            ORDER BY m.timestamp, m.message_id"
        );
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .uuid(thread_id.0)
            .rows::<ItemRow>(self.connection()?)
            .await?;
        rows.into_iter().map(ItemRow::entity).collect()
    }

    async fn update_labels(&mut self, message: &MessageItem) -> Result<(), StoreError> {
        let written = Sql::new(UPDATE_LABELS)
            .uuid(message.organization_id.0)
            .text(message.inbox_id.as_str())
            .text(message.message_id.as_str())
            .texts(message.labels.iter())
            .small(Hidden::of(&message.labels).bits())
            .time(message.updated_at)
            .run(self.connection()?)
            .await?;
        expect_rows(written, 1)
    }

    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
    ) -> Result<(), StoreError> {
        let ids: Vec<&str> = message_ids.iter().map(MessageId::as_str).collect();
        let deleted = delete_messages(self.connection()?, organization_id.0, inbox_id.as_str(), &ids).await?;
        expect_rows(deleted, ids.len())
    }
}
