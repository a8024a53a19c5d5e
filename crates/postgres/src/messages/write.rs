//! Changes of messages.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Binary, Nullable, Uuid as SqlUuid};
use inboxd_core::model::{Cursor, InboxId, Labels, MessageId, MessageItem, NewMessage, OrganizationId, ThreadId};
use inboxd_core::ports::{Messages, PossibleRepeat, StoreError};
use inboxd_core::rules::loops::Spent;
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use super::delete::delete_messages;
use super::rows::{INBOX_LIVES, ITEM, ItemRow};
use super::{budgets, insert, labels};
use crate::accounts::stored_hash;
use crate::error::expect_rows;
use crate::sql::Sql;
use crate::tx::PgTx;

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
        insert::insert(self.connection()?, message).await?;
        let item = &message.message.item;
        self.leaves_to_index(item.organization_id, &item.inbox_id, 1);
        Ok(())
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
        // By its id first; a message that was given another is known by the one it came with as well.
        let text = "SELECT m.thread_id
            FROM unnest($3::text[]) WITH ORDINALITY AS wanted(message_id, place)
            CROSS JOIN LATERAL (
                (SELECT thread_id, 0 AS kept FROM messages
                    WHERE organization_id = $1 AND inbox_id = $2 AND message_id = wanted.message_id)
                UNION ALL
                (SELECT thread_id, 1 AS kept FROM messages
                    WHERE organization_id = $1 AND inbox_id = $2 AND header_message_id = wanted.message_id
                    ORDER BY timestamp DESC LIMIT 1)
            ) m
            ORDER BY wanted.place, m.kept LIMIT 1";
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

    async fn spent_budgets(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        addresses: &[EmailAddress],
        after: OffsetDateTime,
        budget: u32,
    ) -> Result<Vec<Spent>, StoreError> {
        let thread = (organization_id, inbox_id, thread_id);
        budgets::spent(self.connection()?, thread, addresses, after, budget).await
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
        limit: u32,
        after: Option<&Cursor>,
    ) -> Result<Vec<MessageItem>, StoreError> {
        let text = format!(
            "SELECT {ITEM} FROM messages m
            WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.thread_id = $3 {behind} AND {INBOX_LIVES}
            ORDER BY m.timestamp, m.message_id LIMIT $4",
            behind = if after.is_some() { "AND (m.timestamp, m.message_id) > ($5, $6)" } else { "" },
        );
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .uuid(thread_id.0)
            .big(i64::from(limit))
            .optional_time(after.map(|cursor| cursor.time))
            .optional_text(after.map(|cursor| cursor.id.as_str()))
            .rows::<ItemRow>(self.connection()?)
            .await?;
        rows.into_iter().map(ItemRow::entity).collect()
    }

    async fn labels_of_thread(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<Labels, StoreError> {
        labels::of_thread(self.connection()?, organization_id, inbox_id, thread_id).await
    }

    async fn update_labels(&mut self, messages: &[MessageItem]) -> Result<(), StoreError> {
        labels::update(self.connection()?, messages).await?;
        if let Some(first) = messages.first() {
            self.leaves_to_index(first.organization_id, &first.inbox_id, messages.len());
        }
        Ok(())
    }

    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
    ) -> Result<(), StoreError> {
        let ids: Vec<&str> = message_ids.iter().map(MessageId::as_str).collect();
        let deleted = delete_messages(self.connection()?, organization_id.0, inbox_id.as_str(), &ids).await?;
        // What is gone is left out of the index when there is much of it.
        self.leaves_to_index(organization_id, inbox_id, deleted);
        expect_rows(deleted, ids.len())
    }
}
