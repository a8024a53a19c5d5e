//! Idempotency keys of sends.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Nullable, Uuid as SqlUuid};
use inboxd_core::model::{IdempotencyClaim, IdempotencyKey, MessageId, SendResult, UsedKey};
use inboxd_core::ports::{ClaimTimes, IdempotencyKeyWrites, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::contention;
use crate::schema::send_keys;
use crate::sql::Sql;
use crate::tx::PgTx;

/// Claims the key in one step, after any concurrent claim or result of the key.
const CLAIM: &str = "
    INSERT INTO send_keys (organization_id, key, request, claim_id, claimed_until, used_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT ON CONSTRAINT send_keys_pkey DO UPDATE
    SET request = EXCLUDED.request, claim_id = EXCLUDED.claim_id, claimed_until = EXCLUDED.claimed_until,
        message_id = NULL, thread_id = NULL, draft_id = NULL, used_at = EXCLUDED.used_at
    WHERE send_keys.used_at <= $7 OR (send_keys.message_id IS NULL AND send_keys.claimed_until <= $6)
    RETURNING request, message_id, thread_id, draft_id";

#[derive(QueryableByName)]
#[diesel(table_name = send_keys)]
struct UsedRow {
    request: Vec<u8>,
    message_id: Option<String>,
    thread_id: Option<Uuid>,
    draft_id: Option<Uuid>,
}

impl UsedRow {
    fn entity(self) -> Result<UsedKey, StoreError> {
        let request =
            self.request.try_into().map_err(|_| StoreError::Failed("an idempotency key without digest".to_owned()))?;
        let sent = self.message_id.zip(self.thread_id).map(|(message_id, thread_id)| SendResult {
            message_id: MessageId::stored(message_id),
            thread_id: thread_id.into(),
            held: self.draft_id.map(Into::into),
        });
        Ok(UsedKey { request, sent })
    }
}

#[async_trait]
impl IdempotencyKeyWrites for PgTx {
    async fn claim(
        &mut self,
        key: &IdempotencyKey,
        claim_id: Uuid,
        times: ClaimTimes,
    ) -> Result<Option<UsedKey>, StoreError> {
        let claimed = Sql::new(CLAIM)
            .uuid(key.organization_id.0)
            .text(&key.key)
            .bytes(&key.request)
            .uuid(claim_id)
            .time(times.until)
            .time(times.now)
            .time(times.forgotten)
            .row::<UsedRow>(self.connection().await?)
            .await?;
        if claimed.is_some() {
            return Ok(None);
        }
        let text =
            "SELECT request, message_id, thread_id, draft_id FROM send_keys WHERE organization_id = $1 AND key = $2";
        let used =
            Sql::new(text).uuid(key.organization_id.0).text(&key.key).row::<UsedRow>(self.connection().await?).await?;
        // The claim was released between the two queries.
        used.ok_or_else(contention)?.entity().map(Some)
    }

    async fn keep(
        &mut self,
        claim: &IdempotencyClaim,
        sent: &SendResult,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let text = "UPDATE send_keys SET message_id = $4, thread_id = $5, used_at = $6, draft_id = $7
            WHERE organization_id = $1 AND key = $2 AND claim_id = $3";
        let kept = Sql::new(text)
            .uuid(claim.organization_id.0)
            .text(&claim.key)
            .uuid(claim.claim_id)
            .text(sent.message_id.as_str())
            .uuid(sent.thread_id.0)
            .time(now)
            .bind::<Nullable<SqlUuid>, _>(sent.held.map(|draft_id| draft_id.0))
            .run(self.connection().await?)
            .await?;
        Ok(kept == 1)
    }

    async fn release(&mut self, claim: &IdempotencyClaim) -> Result<(), StoreError> {
        let text = "DELETE FROM send_keys
            WHERE organization_id = $1 AND key = $2 AND claim_id = $3 AND message_id IS NULL";
        Sql::new(text)
            .uuid(claim.organization_id.0)
            .text(&claim.key)
            .uuid(claim.claim_id)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn purge(&mut self, forgotten: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        // Rows under a concurrent new claim are skipped.
        let text = "DELETE FROM send_keys k USING (
                SELECT organization_id, key FROM send_keys WHERE used_at <= $1
                ORDER BY used_at LIMIT $2 FOR UPDATE SKIP LOCKED
            ) AS old
            WHERE k.organization_id = old.organization_id AND k.key = old.key";
        let purged = Sql::new(text).time(forgotten).big(i64::from(limit)).run(self.connection().await?).await?;
        Ok(u64::try_from(purged).unwrap_or(u64::MAX))
    }
}
