//! Reads of the outgoing queue.

use async_trait::async_trait;
use diesel::dsl::sql;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Uuid as SqlUuid};
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
use crate::accounts::rows::stored_address;
use crate::blobs::raw_of_row;
use crate::blobs::rows::{BLOB, BlobRow};
use crate::error::failure;
use crate::messages::body::raw_bytes;
use crate::schema::{captured, outgoing};
use crate::sql::Sql;
use crate::store::PgStore;

/// The frame of a raw mail, or its beginning, or its object.
#[derive(QueryableByName)]
struct QueuedRawRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = Nullable<Binary>)]
    raw: Option<Vec<u8>>,
    #[diesel(embed)]
    blob: BlobRow,
}

/// Returns the query for the raw mail of a queued message, with the selected part of its frame. The object of a deleted
/// message waits for its removal until the message has left.
fn raw_query(part: &str) -> String {
    format!(
        "SELECT o.organization_id, CASE WHEN x.blob_id IS NULL THEN {part} END AS raw, {BLOB}
        FROM outgoing o LEFT JOIN message_bodies b ON b.organization_id = o.organization_id
            AND b.inbox_id = o.inbox_id AND b.message_id = o.message_id
        LEFT JOIN LATERAL (
            SELECT blob_id, name, store, bytes, sha256, stored_at FROM blobs
            WHERE organization_id = o.organization_id AND blob_id = coalesce(o.blob_id, b.blob_id)
            UNION ALL
            SELECT blob_id, name, store, bytes, sha256, stored_at FROM blob_removals
            WHERE organization_id = o.organization_id AND blob_id = o.blob_id
            LIMIT 1
        ) x ON true
        WHERE o.outgoing_id = $1 AND o.sealed IS NULL"
    )
}

#[async_trait]
impl OutgoingReads for PgStore {
    async fn raw_of_outgoing(&self, outgoing_id: OutgoingId) -> Result<Option<Vec<u8>>, StoreError> {
        let text = raw_query("coalesce(o.raw, b.large_raw, b.body)");
        let row = Sql::new(text).uuid(outgoing_id.0).row::<QueuedRawRow>(&mut *self.connection().await?).await?;
        let Some(QueuedRawRow { organization_id, raw, blob }) = row else { return Ok(None) };
        let Some(raw) = raw_of_row(raw, blob.entity(organization_id.into())?).await? else { return Ok(None) };
        self.read_content(raw).await.map(Some)
    }

    async fn size_of_outgoing(&self, outgoing_id: OutgoingId) -> Result<Option<u64>, StoreError> {
        // The beginning of a frame states the size, and PostgreSQL reads no more of it.
        let text = raw_query("substring(coalesce(o.raw, b.large_raw, b.body) FOR 5)");
        let row = Sql::new(text).uuid(outgoing_id.0).row::<QueuedRawRow>(&mut *self.connection().await?).await?;
        let Some(QueuedRawRow { organization_id, raw, blob }) = row else { return Ok(None) };
        match blob.entity(organization_id.into())? {
            Some(blob) => Ok(Some(blob.bytes)),
            None => raw.map(|beginning| raw_bytes(&beginning)).transpose(),
        }
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
