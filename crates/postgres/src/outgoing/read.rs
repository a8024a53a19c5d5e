//! Reads of the outgoing queue.

use async_trait::async_trait;
use diesel::dsl::sql;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable};
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, Queryable, QueryableByName, Selectable, SelectableHelper,
};
use diesel_async::RunQueryDsl;
use inboxd_core::model::{ClaimedMail, InboxId, MessageId, OutgoingId, QueuedMail};
use inboxd_core::ports::{CapturedMail, DestinationTrouble, MessageKey, OutgoingReads, QueueDepth, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::depth::{depth, troubles};
use super::rows::{OutgoingRow, stored_addresses};
use crate::accounts::stored_address;
use crate::error::failure;
use crate::schema::{captured, outgoing};
use crate::sql::Sql;
use crate::store::PgStore;

#[derive(QueryableByName)]
struct QueuedRawRow {
    #[diesel(sql_type = Nullable<Binary>)]
    raw: Option<Vec<u8>>,
}

#[derive(QueryableByName)]
struct QueuedSizeRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    size: Option<i64>,
}

#[async_trait]
impl OutgoingReads for PgStore {
    async fn raw_of_outgoing(&self, outgoing_id: OutgoingId) -> Result<Option<Vec<u8>>, StoreError> {
        let text = "SELECT coalesce(o.raw, b.raw) AS raw
            FROM outgoing o LEFT JOIN message_bodies b ON b.organization_id = o.organization_id
                AND b.inbox_id = o.inbox_id AND b.message_id = o.message_id
            WHERE o.outgoing_id = $1 AND o.sealed IS NULL";
        let row = Sql::new(text).uuid(outgoing_id.0).row::<QueuedRawRow>(&mut *self.connection().await?).await?;
        Ok(row.and_then(|row| row.raw))
    }

    async fn size_of_outgoing(&self, outgoing_id: OutgoingId) -> Result<Option<u64>, StoreError> {
        let text = "SELECT octet_length(coalesce(o.raw, b.raw))::bigint AS size
            FROM outgoing o LEFT JOIN message_bodies b ON b.organization_id = o.organization_id
                AND b.inbox_id = o.inbox_id AND b.message_id = o.message_id
            WHERE o.outgoing_id = $1 AND o.sealed IS NULL";
        let row = Sql::new(text).uuid(outgoing_id.0).row::<QueuedSizeRow>(&mut *self.connection().await?).await?;
        Ok(row.and_then(|row| row.size).and_then(|size| u64::try_from(size).ok()))
    }

    async fn claimed_mail(&self, claim: ClaimedMail) -> Result<Option<QueuedMail>, StoreError> {
        let row = outgoing::table
            .filter(outgoing::organization_id.eq(claim.organization_id.0))
            .filter(outgoing::outgoing_id.eq(claim.outgoing_id.0))
            .filter(outgoing::claim_id.eq(claim.claim_id))
            .select(OutgoingRow::as_select())
            .first(&mut *self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(OutgoingRow::entity).transpose()
    }

    async fn queue_depth(&self, limit: u32) -> Result<(QueueDepth, Vec<DestinationTrouble>), StoreError> {
        let mut connection = self.connection().await?;
        Ok((depth(&mut connection).await?, troubles(&mut connection, limit).await?))
    }

    async fn captured(&self, limit: u32, max_bytes: u32) -> Result<Vec<CapturedMail>, StoreError> {
        let is_small = sql::<Bool>("octet_length(sealed) <= ").bind::<BigInt, _>(i64::from(max_bytes));
        let rows: Vec<CapturedRow> = captured::table
            .filter(is_small)
            .order(captured::captured_id.desc())
            .limit(i64::from(limit))
            .select(CapturedRow::as_select())
            .load(&mut *self.connection().await?)
            .await
            .map_err(failure)?;
        rows.into_iter().rev().map(CapturedRow::entity).collect()
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = captured, check_for_backend(diesel::pg::Pg))]
struct CapturedRow {
    envelope_from: String,
    recipients: Vec<String>,
    sealed: Vec<u8>,
    captured_at: OffsetDateTime,
    organization_id: Option<Uuid>,
    inbox_id: Option<String>,
    message_id: Option<String>,
}

impl CapturedRow {
    fn entity(self) -> Result<CapturedMail, StoreError> {
        let key = self.organization_id.zip(self.inbox_id).zip(self.message_id);
        Ok(CapturedMail {
            message: key.map(|((organization_id, inbox_id), message_id)| MessageKey {
                organization_id: organization_id.into(),
                inbox_id: InboxId::stored(inbox_id),
                message_id: MessageId::stored(message_id),
            }),
            envelope_from: stored_address(&self.envelope_from)?,
            recipients: stored_addresses(&self.recipients)?,
            sealed: self.sealed,
            captured_at: self.captured_at,
        })
    }
}
