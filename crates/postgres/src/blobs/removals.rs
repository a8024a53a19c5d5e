//! Removed objects, objects without rows, and totals.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Uuid as SqlUuid};
use inboxd_core::model::{BlobKind, OrganizationId, StoredBlob};
use inboxd_core::ports::{
    BlobName, BlobRows, BlobSweep, BlobTotals, ContentKey, ContentKind, ContentPage, ListedObject, PlacedContent,
    StoreError,
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::moves;
use super::rows::{BLOB, BlobRow, stored_kind};
use crate::sql::Sql;
use crate::store::PgStore;
use crate::usage::to_count;

const UNKNOWN: &str = "
    SELECT g.organization_id, g.blob_id FROM unnest($1::uuid[], $2::uuid[]) AS g(organization_id, blob_id)
    WHERE NOT EXISTS (SELECT FROM blobs b
            WHERE b.organization_id = g.organization_id AND b.blob_id = g.blob_id)
        AND NOT EXISTS (SELECT FROM blob_removals r
            WHERE r.organization_id = g.organization_id AND r.blob_id = g.blob_id)";

const CLAIM_SWEEP: &str = "
    INSERT INTO blob_sweeps AS s (store, due_at) VALUES ($1, $3)
    ON CONFLICT (store) DO UPDATE SET due_at = $3 WHERE s.due_at <= $2
    RETURNING s.after";

const TOTALS: &str = "
    SELECT t.store, sum(t.objects)::bigint AS objects, sum(t.bytes)::bigint AS bytes,
        sum(t.removals)::bigint AS removals, sum(t.removal_bytes)::bigint AS removal_bytes
    FROM (
        SELECT store, count(*) AS objects, sum(bytes) AS bytes, 0 AS removals, 0 AS removal_bytes FROM blobs GROUP BY store
        UNION ALL
        SELECT store, 0, 0, count(*), sum(bytes) FROM blob_removals GROUP BY store
    ) t GROUP BY t.store ORDER BY t.store";

#[derive(QueryableByName)]
struct StoredBlobRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(embed)]
    blob: BlobRow,
}

#[derive(QueryableByName)]
struct ListedRow {
    #[diesel(embed)]
    object: StoredBlobRow,
    #[diesel(sql_type = Bool)]
    is_removed: bool,
}

#[derive(QueryableByName)]
struct BlobIdRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    blob_id: Uuid,
}

#[derive(QueryableByName)]
struct SweepRow {
    #[diesel(sql_type = Nullable<Text>)]
    after: Option<String>,
}

#[derive(QueryableByName)]
struct TotalsRow {
    #[diesel(sql_type = Text)]
    store: String,
    #[diesel(sql_type = BigInt)]
    objects: i64,
    #[diesel(sql_type = BigInt)]
    bytes: i64,
    #[diesel(sql_type = BigInt)]
    removals: i64,
    #[diesel(sql_type = BigInt)]
    removal_bytes: i64,
}

impl TotalsRow {
    fn entity(self) -> Result<BlobTotals, StoreError> {
        let Self { store, objects, bytes, removals, removal_bytes } = self;
        Ok(BlobTotals {
            store: stored_kind(&store)?,
            objects: to_count(objects),
            bytes: to_count(bytes),
            removals: to_count(removals),
            removal_bytes: to_count(removal_bytes),
        })
    }
}

#[async_trait]
impl BlobRows for PgStore {
    async fn due_blob_removals(
        &self,
        stores: &[BlobKind],
        before: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<StoredBlob>, StoreError> {
        let text = format!(
            "SELECT x.organization_id, {BLOB} FROM blob_removals x
            WHERE x.removed_at <= $1 AND x.store = ANY($2) AND NOT EXISTS (SELECT FROM outgoing o
                WHERE o.organization_id = x.organization_id AND o.blob_id = x.blob_id)
            ORDER BY x.removed_at LIMIT $3"
        );
        let rows = Sql::new(text)
            .time(before)
            .texts(stores.iter().map(|store| store.as_str()))
            .big(limit.into())
            .rows::<StoredBlobRow>(&mut *self.connection().await?)
            .await?;
        let blobs = rows.into_iter().map(|row| row.blob.entity(row.organization_id.into()));
        Ok(blobs.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    async fn forget_blobs(&self, blobs: &[StoredBlob]) -> Result<(), StoreError> {
        if blobs.is_empty() {
            return Ok(());
        }
        let text = "DELETE FROM blob_removals r USING unnest($1::uuid[], $2::uuid[]) AS g(organization_id, blob_id)
            WHERE r.organization_id = g.organization_id AND r.blob_id = g.blob_id";
        Sql::new(text)
            .uuids(blobs.iter().map(|blob| blob.organization_id.0))
            .uuids(blobs.iter().map(|blob| blob.blob_id))
            .run(&mut *self.connection().await?)
            .await?;
        Ok(())
    }

    async fn unknown_blobs(&self, ids: &[(OrganizationId, Uuid)]) -> Result<Vec<(OrganizationId, Uuid)>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows = Sql::new(UNKNOWN)
            .uuids(ids.iter().map(|(organization_id, _)| organization_id.0))
            .uuids(ids.iter().map(|(_, blob_id)| *blob_id))
            .rows::<BlobIdRow>(&mut *self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(|row| (row.organization_id.into(), row.blob_id)).collect())
    }

    async fn claim_blob_sweep(
        &self,
        store: BlobKind,
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Result<Option<BlobSweep>, StoreError> {
        let row = Sql::new(CLAIM_SWEEP)
            .text(store.as_str())
            .time(now)
            .time(until)
            .row::<SweepRow>(&mut *self.connection().await?)
            .await?;
        Ok(row.map(|row| BlobSweep { after: row.after.map(BlobName) }))
    }

    async fn save_blob_sweep(
        &self,
        store: BlobKind,
        after: Option<&BlobName>,
        due_at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        Sql::new("UPDATE blob_sweeps SET after = $2, due_at = $3 WHERE store = $1")
            .text(store.as_str())
            .optional_text(after.map(|name| name.0.as_str()))
            .time(due_at)
            .run(&mut *self.connection().await?)
            .await?;
        Ok(())
    }

    async fn blobs_after(
        &self,
        after: Option<(OrganizationId, Uuid)>,
        limit: u32,
    ) -> Result<Vec<ListedObject>, StoreError> {
        let text = format!(
            "SELECT x.organization_id, x.is_removed, {BLOB} FROM (
                SELECT organization_id, blob_id, name, store, bytes, sha256, stored_at, false AS is_removed FROM blobs
                UNION ALL
                SELECT organization_id, blob_id, name, store, bytes, sha256, stored_at, true FROM blob_removals
            ) x
            WHERE (x.organization_id, x.blob_id) > ($1, $2) ORDER BY x.organization_id, x.blob_id LIMIT $3"
        );
        let (organization_id, blob_id) = after.unwrap_or((Uuid::nil().into(), Uuid::nil()));
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .uuid(blob_id)
            .big(limit.into())
            .rows::<ListedRow>(&mut *self.connection().await?)
            .await?;
        let object = |row: ListedRow| {
            let blob = row.object.blob.entity(row.object.organization_id.into())?;
            Ok(blob.map(|blob| ListedObject { blob, is_removed: row.is_removed }))
        };
        Ok(rows.into_iter().map(object).collect::<Result<Vec<_>, StoreError>>()?.into_iter().flatten().collect())
    }

    async fn assign_blobs(&self, store: BlobKind, ids: &[(OrganizationId, Uuid)]) -> Result<(), StoreError> {
        for table in ["blobs", "blob_removals"] {
            let text = format!(
                "UPDATE {table} b SET store = $1 FROM unnest($2::uuid[], $3::uuid[]) AS g(organization_id, blob_id)
                WHERE b.organization_id = g.organization_id AND b.blob_id = g.blob_id AND b.store <> $1"
            );
            Sql::new(text)
                .text(store.as_str())
                .uuids(ids.iter().map(|(organization_id, _)| organization_id.0))
                .uuids(ids.iter().map(|(_, blob_id)| *blob_id))
                .run(&mut *self.connection().await?)
                .await?;
        }
        Ok(())
    }

    async fn blob_totals(&self) -> Result<Vec<BlobTotals>, StoreError> {
        let rows = Sql::new(TOTALS).rows::<TotalsRow>(&mut *self.connection().await?).await?;
        rows.into_iter().map(TotalsRow::entity).collect()
    }

    async fn misplaced_contents(
        &self,
        kind: ContentKind,
        target: Option<BlobKind>,
        threshold: usize,
        after: Option<&ContentKey>,
    ) -> Result<ContentPage, StoreError> {
        moves::misplaced(self, kind, target, threshold, after).await
    }

    async fn placed_content(&self, key: &ContentKey) -> Result<Option<PlacedContent>, StoreError> {
        moves::placed(self, key).await
    }

    async fn replace_content(
        &self,
        key: &ContentKey,
        from: &PlacedContent,
        to: Option<&StoredBlob>,
    ) -> Result<bool, StoreError> {
        moves::replace(self, key, from, to).await
    }
}
