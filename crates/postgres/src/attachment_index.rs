//! Attachments with text for searches: columns of `message_bodies`.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{SmallInt, Text};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{InboxId, MessageId, OrganizationId};
use inboxd_core::ports::{AttachmentClaim, AttachmentIndex, MessageKey, StoreError, Tx};
use time::OffsetDateTime;

use crate::scalar_rows::OrganizationIdRow;
use crate::search::index_work::BEGIN_WORK;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::text::folded;

/// Claims the newest message, so that a backlog does not delay new mail.
const CLAIM: &str = "
    WITH due AS MATERIALIZED (
        SELECT inbox_id, message_id FROM message_bodies
        WHERE organization_id = $1 AND attachments_due_at <= $2
        ORDER BY attachments_due_at DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE message_bodies b SET attachments_due_at = $3, attachment_attempts = b.attachment_attempts + 1
    FROM due
    WHERE b.organization_id = $1 AND b.inbox_id = due.inbox_id AND b.message_id = due.message_id
    RETURNING b.inbox_id, b.message_id, b.attachment_attempts AS attempt";

/// Thread of a message.
const LOCK_THREAD: &str = "
    SELECT FROM threads t WHERE t.organization_id = $1 AND t.inbox_id = $2 AND t.thread_id = (
        SELECT thread_id FROM messages WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3)
    FOR NO KEY UPDATE";

/// The message becomes pending again, so that it enters a segment with its texts.
const STORE: &str = "
    WITH stored AS (
        UPDATE message_bodies SET attachments_due_at = NULL, attachment_texts = nullif($5, '{}'),
            unread_attachments = nullif($6, 0), search_text = concat_ws(E'\\n', search_text, nullif($7, ''))
        WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3
            AND attachment_attempts = $4 AND attachments_due_at IS NOT NULL
        RETURNING 1
    ), unindexed AS (
        INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
        SELECT organization_id, inbox_id, hidden, timestamp, message_id FROM messages
        WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3 AND $7 <> '' AND EXISTS (SELECT FROM stored)
    )
    SELECT $1 AS organization_id FROM stored";

const RETRY: &str = "
    UPDATE message_bodies SET attachments_due_at = $5
    WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3
        AND attachment_attempts = $4 AND attachments_due_at IS NOT NULL";

const POSTPONE: &str = "
    UPDATE message_bodies SET attachments_due_at = $5, attachment_attempts = $4 - 1
    WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3
        AND attachment_attempts = $4 AND attachments_due_at IS NOT NULL";

#[derive(QueryableByName)]
struct ClaimedRow {
    #[diesel(sql_type = Text)]
    inbox_id: String,
    #[diesel(sql_type = Text)]
    message_id: String,
    #[diesel(sql_type = SmallInt)]
    attempt: i16,
}

#[async_trait]
impl AttachmentIndex for PgStore {
    async fn organization_to_read(
        &self,
        after: Option<OrganizationId>,
        now: OffsetDateTime,
    ) -> Result<Option<OrganizationId>, StoreError> {
        let text = "SELECT organization_id FROM message_bodies
            WHERE organization_id > $1 AND attachments_due_at <= $2
            ORDER BY organization_id, attachments_due_at LIMIT 1";
        let row = Sql::new(text)
            .uuid(after.map(|organization_id| organization_id.0).unwrap_or_default())
            .time(now)
            .row::<OrganizationIdRow>(&mut *self.connection().await?)
            .await?;
        Ok(row.map(|row| row.organization_id.into()))
    }

    async fn claim_attachments(
        &self,
        organization_id: OrganizationId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<AttachmentClaim>, StoreError> {
        let row = Sql::new(CLAIM)
            .uuid(organization_id.0)
            .time(now)
            .time(lease_until)
            .row::<ClaimedRow>(&mut *self.connection().await?)
            .await?;
        Ok(row.map(|row| AttachmentClaim {
            message: MessageKey {
                organization_id,
                inbox_id: InboxId::stored(row.inbox_id),
                message_id: MessageId::stored(row.message_id),
            },
            attempt: u16::try_from(row.attempt).unwrap_or_default(),
        }))
    }

    async fn store_attachment_texts(
        &self,
        claim: &AttachmentClaim,
        texts: &[String],
        unread: usize,
    ) -> Result<bool, StoreError> {
        let searched = folded(&texts.join("\n"));
        let mut tx = self.begin_with(BEGIN_WORK).await?;
        // A change of labels would add the message to the pending ones of the new labels, where it could be indexed without
        // the texts.
        lock_thread_of(tx.connection().await?, &claim.message).await?;
        let row = of_claim(STORE, claim)
            .texts(texts.iter().map(String::as_str))
            .integer(i32::try_from(unread).unwrap_or(i32::MAX))
            .text(&searched)
            .row::<OrganizationIdRow>(tx.connection().await?)
            .await?;
        Box::new(tx).commit().await?;
        Ok(row.is_some())
    }

    async fn retry_attachments(&self, claim: &AttachmentClaim, at: OffsetDateTime) -> Result<(), StoreError> {
        of_claim(RETRY, claim).time(at).run(&mut *self.connection().await?).await?;
        Ok(())
    }

    async fn postpone_attachments(&self, claim: &AttachmentClaim, at: OffsetDateTime) -> Result<(), StoreError> {
        of_claim(POSTPONE, claim).time(at).run(&mut *self.connection().await?).await?;
        Ok(())
    }
}

/// Locks the thread of a message, as redaction and changes of its labels do.
pub(crate) async fn lock_thread_of(connection: &mut AsyncPgConnection, message: &MessageKey) -> Result<(), StoreError> {
    let MessageKey { organization_id, inbox_id, message_id } = message;
    Sql::new(LOCK_THREAD)
        .uuid(organization_id.0)
        .text(inbox_id.as_str())
        .text(message_id.as_str())
        .run(connection)
        .await?;
    Ok(())
}

/// Binds the message and the attempt of a claim.
fn of_claim<'a>(text: &'static str, claim: &'a AttachmentClaim) -> Sql<'a> {
    Sql::new(text)
        .uuid(claim.message.organization_id.0)
        .text(claim.message.inbox_id.as_str())
        .text(claim.message.message_id.as_str())
        .small(i16::try_from(claim.attempt).unwrap_or(i16::MAX))
}
