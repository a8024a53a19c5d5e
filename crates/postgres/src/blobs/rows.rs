//! Rows of `blobs`.

use diesel::QueryableByName;
use diesel::sql_types::{Array, BigInt, Binary, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{BlobKind, OrganizationId, StoredBlob};
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::rows::stored_hash;
use crate::error::expect_rows;
use crate::sql::Sql;
use crate::usage::{from_count, to_count};

/// Columns of [`BlobRow`], of a table named `x`.
pub(crate) const BLOB: &str = "x.blob_id AS blob_id, x.name AS blob_name, x.store AS blob_store, x.bytes AS blob_bytes,
    x.sha256 AS blob_sha256, x.stored_at AS blob_stored_at";

/// Object of a content; all null for a content in its row.
#[derive(QueryableByName)]
#[expect(clippy::struct_field_names, reason = "columns of a join have the prefix")]
pub(crate) struct BlobRow {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    blob_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    blob_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    blob_store: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    blob_bytes: Option<i64>,
    #[diesel(sql_type = Nullable<Binary>)]
    blob_sha256: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    blob_stored_at: Option<OffsetDateTime>,
}

impl BlobRow {
    /// Returns the object of the row; `None` for a content in its row.
    pub(crate) fn entity(self, organization_id: OrganizationId) -> Result<Option<StoredBlob>, StoreError> {
        let Self {
            blob_id: Some(blob_id),
            blob_name: Some(name),
            blob_store: Some(store),
            blob_bytes: Some(bytes),
            blob_sha256: Some(sha256),
            blob_stored_at: Some(stored_at),
        } = self
        else {
            return Ok(None);
        };
        let (store, bytes, sha256) = (stored_kind(&store)?, to_count(bytes), stored_hash(sha256)?);
        Ok(Some(StoredBlob { organization_id, blob_id, name, store, bytes, sha256, stored_at }))
    }
}

pub(super) fn stored_kind(name: &str) -> Result<BlobKind, StoreError> {
    name.parse::<BlobKind>().map_err(|_| StoreError::Failed(format!("{name} is no store of objects")))
}

/// Stores the rows of objects, in the unit of work of their contents.
pub(crate) async fn insert_blobs(connection: &mut AsyncPgConnection, blobs: &[&StoredBlob]) -> Result<(), StoreError> {
    if blobs.is_empty() {
        return Ok(());
    }
    let text = "INSERT INTO blobs (organization_id, blob_id, name, store, bytes, sha256, stored_at)
        SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::timestamptz[])";
    let statement = Sql::new(text)
        .uuids(blobs.iter().map(|blob| blob.organization_id.0))
        .uuids(blobs.iter().map(|blob| blob.blob_id))
        .texts(blobs.iter().map(|blob| blob.name.as_str()))
        .texts(blobs.iter().map(|blob| blob.store.as_str()))
        .bigs(blobs.iter().map(|blob| from_count(blob.bytes)))
        .bind::<Array<Binary>, _>(blobs.iter().map(|blob| blob.sha256.as_slice()).collect::<Vec<&[u8]>>())
        .times(blobs.iter().map(|blob| blob.stored_at));
    expect_rows(statement.run(connection).await?, blobs.len())
}
