//! Writes of messages.

use async_trait::async_trait;
use inboxd_core::model::{
    Cursor, HidingLabels, InboxId, Labels, MessageId, MessageItem, OrganizationId, SecurityFeedback, ThreadId,
};
use inboxd_core::ports::{MessageWrites, StoreError};
use inboxd_core::rules::loops::ExhaustedLoopBudget;
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::delete::delete_messages;
use super::list::shown;
use super::redact::redact_message;
use super::rows::{BY_IDS, INBOX_LIVES, ITEM, ItemRow};
use super::{labels, loop_budgets};
use crate::array_params;
use crate::error::expect_rows;
use crate::json::to_json;
use crate::scalar_rows::FlagRow;
use crate::sql::Sql;
use crate::tx::PgTx;

#[async_trait]
impl MessageWrites for PgTx {
    async fn spent_budgets(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        addresses: &[EmailAddress],
        after: OffsetDateTime,
        budget: u32,
    ) -> Result<Vec<ExhaustedLoopBudget>, StoreError> {
        let thread = (organization_id, inbox_id, thread_id);
        loop_budgets::exhausted(self.connection().await?, thread, addresses, after, budget).await
    }

    async fn items(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
    ) -> Result<Vec<MessageItem>, StoreError> {
        let text = format!("SELECT {ITEM} FROM {BY_IDS} WHERE {INBOX_LIVES} ORDER BY m.message_id");
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .texts(message_ids.iter().map(MessageId::as_str))
            .rows::<ItemRow>(self.connection().await?)
            .await?;
        rows.into_iter().map(ItemRow::entity).collect()
    }

    async fn of_thread(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        limit: u32,
        after: Option<Cursor>,
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
            .optional_time(after.as_ref().map(|cursor| cursor.time))
            .optional_text(after.as_ref().map(|cursor| cursor.id.as_str()))
            .rows::<ItemRow>(self.connection().await?)
            .await?;
        rows.into_iter().map(ItemRow::entity).collect()
    }

    async fn expired(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        before: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<MessageItem>, StoreError> {
        let text = format!(
            "SELECT {ITEM} FROM unnest($3::smallint[]) AS shown(hidden) CROSS JOIN LATERAL (
                SELECT m.* FROM messages m
                WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.hidden = shown.hidden
                    AND m.timestamp < $5
                ORDER BY m.timestamp, m.message_id LIMIT $4
            ) m
            WHERE {INBOX_LIVES}
            ORDER BY m.timestamp, m.message_id LIMIT $4"
        );
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .smalls(shown(HidingLabels::ALL))
            .big(i64::from(limit))
            .time(before)
            .rows::<ItemRow>(self.connection().await?)
            .await?;
        rows.into_iter().map(ItemRow::entity).collect()
    }

    async fn labels_of_thread(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<Labels, StoreError> {
        labels::of_thread(self.connection().await?, organization_id, inbox_id, thread_id).await
    }

    async fn update_labels(&mut self, messages: &[MessageItem]) -> Result<(), StoreError> {
        if !self.kept().labelled.is_empty() || messages.len() > array_params::MAX_ROWS {
            labels::update(self.connection().await?, messages).await?;
        } else {
            self.kept().labelled.extend_from_slice(messages);
        }
        for item in messages {
            self.leaves_to_index(item.organization_id, &item.inbox_id, 1);
        }
        Ok(())
    }

    async fn store_release(&mut self, message: &MessageItem) -> Result<(), StoreError> {
        let text = "UPDATE messages SET release = $4 WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3";
        let written = Sql::new(text)
            .uuid(message.organization_id.0)
            .text(message.inbox_id.as_str())
            .text(message.message_id.as_str())
            .json(to_json(&message.release)?)
            .run(self.connection().await?)
            .await?;
        expect_rows(written, 1)
    }

    async fn redact(&mut self, message: &MessageItem, headers: &[(String, String)]) -> Result<(), StoreError> {
        redact_message(self.connection().await?, message, headers).await?;
        // Its search index row is worth as little as that of a deleted message.
        self.leaves_to_index(message.organization_id, &message.inbox_id, 1);
        Ok(())
    }

    async fn add_feedback(
        &mut self,
        message: &MessageItem,
        feedback: &SecurityFeedback,
        limit: u32,
    ) -> Result<Option<bool>, StoreError> {
        // The update waits for a concurrent one and then counts its feedback too.
        let text = format!(
            "WITH added AS (
                UPDATE message_bodies SET feedback = coalesce(feedback, '[]') || $4
                WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3
                    AND coalesce(jsonb_array_length(feedback), 0) < $5
                RETURNING 1
            )
            SELECT EXISTS (SELECT FROM added) AS flag FROM messages m
            WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.message_id = $3 AND {INBOX_LIVES}"
        );
        let row = Sql::new(text)
            .uuid(message.organization_id.0)
            .text(message.inbox_id.as_str())
            .text(message.message_id.as_str())
            .json(to_json(feedback)?)
            .integer(i32::try_from(limit).unwrap_or(i32::MAX))
            .row::<FlagRow>(self.connection().await?)
            .await?;
        Ok(row.map(|row| row.flag))
    }

    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
    ) -> Result<(), StoreError> {
        let ids: Vec<&str> = message_ids.iter().map(MessageId::as_str).collect();
        let deleted = delete_messages(self.connection().await?, organization_id.0, inbox_id.as_str(), &ids).await?;
        // Many deleted messages are worth a new index segment without them.
        self.leaves_to_index(organization_id, inbox_id, deleted);
        expect_rows(deleted, ids.len())
    }
}
