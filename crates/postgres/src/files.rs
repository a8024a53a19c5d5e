//! Files of inboxes and their contents.

use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::sql_types::{Binary, Bool, Nullable, Uuid as SqlUuid};
use diesel::{Queryable, QueryableByName, Selectable};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{
    Content, ContentFilter, Cursor, FileId, InboxFile, InboxId, OrganizationId, Page, StoredBlob,
};
use inboxd_core::ports::{FileQuery, FileReads, FileWrites, LockedFile, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::rows::stored_hash;
use crate::blobs::rows::{BLOB, BlobRow, insert_blobs};
use crate::blobs::{content_condition, content_of_row};
use crate::error::expect_rows;
use crate::keyset::{KeysetOrder, behind_key, rows_to_read};
use crate::schema::files;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::stored_row::stored_row;
use crate::text::stored;
use crate::tx::PgTx;
use crate::usage::{from_count, to_count};

stored_row! {
    /// A row of `files`.
    #[derive(Queryable, QueryableByName, Selectable)]
    #[diesel(table_name = files, check_for_backend(diesel::pg::Pg))]
    struct FileRow => InboxFile;

    /// The columns of [`FileRow`], of the table `f`.
    const FILE = "f";

    organization_id: Uuid => organization_id = organization_id.into(),
    file_id: Uuid => file_id = file_id.into(),
    inbox_id: String => inbox_id = InboxId::stored(inbox_id),
    path: String => path = path,
    content_type: String => content_type = content_type,
    size: i64 => size = to_count(size),
    sha256: Vec<u8> => sha256 = stored_hash(sha256)?,
    is_ready: bool => is_ready = is_ready,
    created_by: String => created_by = created_by,
    expires_at: Option<OffsetDateTime> => expires_at = expires_at,
    created_at: OffsetDateTime => created_at = created_at,
    updated_at: OffsetDateTime => updated_at = updated_at,
}

/// A locked row of `files`.
#[derive(QueryableByName)]
struct LockedRow {
    #[diesel(embed)]
    file: FileRow,
    #[diesel(sql_type = Bool)]
    has_content: bool,
}

#[derive(QueryableByName)]
struct ContentRow {
    /// `None` for an object.
    #[diesel(sql_type = Nullable<Binary>)]
    content: Option<Vec<u8>>,
    #[diesel(embed)]
    blob: BlobRow,
}

/// Inbox of a file that exists.
const LIVE: &str = "JOIN inboxes i ON i.organization_id = f.organization_id AND i.inbox_id = f.inbox_id
    AND i.deleted_at IS NULL";

/// Condition that no legal hold keeps file `f`.
const UNHELD: &str = "NOT EXISTS (SELECT FROM legal_holds h
    WHERE h.organization_id = f.organization_id AND h.inbox_id IN ('', f.inbox_id))";

#[derive(QueryableByName)]
struct ExpiredRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    file_id: Uuid,
}

static LOCKED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {FILE}, EXISTS (
            SELECT FROM file_contents c WHERE c.organization_id = f.organization_id AND c.file_id = f.file_id
        ) AS has_content FROM files f {LIVE} WHERE f.organization_id = $1"
    )
});

#[async_trait]
impl FileReads for PgStore {
    async fn file(&self, organization_id: OrganizationId, file_id: FileId) -> Result<Option<InboxFile>, StoreError> {
        let text = format!("SELECT {FILE} FROM files f {LIVE} WHERE f.organization_id = $1 AND f.file_id = $2");
        let row = Sql::new(text).uuid(organization_id.0).uuid(file_id.0);
        row.row::<FileRow>(&mut *self.connection().await?).await?.map(FileRow::entity).transpose()
    }

    async fn file_bytes(
        &self,
        organization_id: OrganizationId,
        file_id: FileId,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.file_content(organization_id, file_id, ContentFilter::All).await?;
        let Some(content) = found else { return Ok(None) };
        self.read_content(content).await.map(Some)
    }

    async fn file_content(
        &self,
        organization_id: OrganizationId,
        file_id: FileId,
        filter: ContentFilter,
    ) -> Result<Option<Content>, StoreError> {
        let text = format!(
            "SELECT c.content, {BLOB} FROM file_contents c
                LEFT JOIN blobs x ON x.organization_id = c.organization_id AND x.blob_id = c.blob_id
            WHERE c.organization_id = $1 AND c.file_id = $2 AND {condition}",
            condition = content_condition(filter),
        );
        let row = Sql::new(text).uuid(organization_id.0).uuid(file_id.0);
        let row = row.row::<ContentRow>(&mut *self.connection().await?).await?;
        let Some(ContentRow { content, blob }) = row else { return Ok(None) };
        Ok(content_of_row(content, blob.entity(organization_id)?))
    }

    async fn list_files(&self, query: &FileQuery) -> Result<Page<InboxFile>, StoreError> {
        let text = format!(
            "SELECT {FILE} FROM files f
            WHERE f.organization_id = $1 AND f.inbox_id = $2 AND (f.ends_at IS NULL OR f.ends_at > $3)
                AND f.path >= $4 AND starts_with(f.path, $4) {behind}
            ORDER BY f.path {sort} LIMIT $5",
            behind = behind_key(&query.page, "f.path", "$6"),
            sort = KeysetOrder::of(query.page.direction).sort,
        );
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .text(query.inbox_id.as_str())
            .time(query.now)
            .text(&query.path_prefix)
            .big(rows_to_read(query.page.limit))
            .optional_text(query.page.after.as_ref().map(|cursor| cursor.id.as_str()))
            .rows::<FileRow>(&mut *self.connection().await?)
            .await?;
        let found = rows.into_iter().map(FileRow::entity).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::of(found, query.page.limit, |file| Cursor { time: file.created_at, id: file.path.clone() }))
    }
}

#[async_trait]
impl FileWrites for PgTx {
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        file_id: FileId,
    ) -> Result<Option<LockedFile>, StoreError> {
        let bound = |text| Sql::new(text).uuid(organization_id.0).uuid(file_id.0);
        locked("f.file_id = $2", bound, self.connection().await?).await
    }

    async fn lock_at(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        path: &str,
    ) -> Result<Option<LockedFile>, StoreError> {
        let bound = |text| Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).text(path);
        locked("f.inbox_id = $2 AND f.path = $3", bound, self.connection().await?).await
    }

    async fn insert(&mut self, file: &InboxFile) -> Result<(), StoreError> {
        let text = "INSERT INTO files (organization_id, file_id, inbox_id, path, content_type, size, sha256, is_ready,
                created_by, expires_at, ends_at, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
        let (path, content_type) = (stored(&file.path), stored(&file.content_type));
        Sql::new(text)
            .uuid(file.organization_id.0)
            .uuid(file.file_id.0)
            .text(file.inbox_id.as_str())
            .text(&path)
            .text(&content_type)
            .big(from_count(file.size))
            .bytes(&file.sha256)
            .bind::<Bool, _>(file.is_ready)
            .text(&file.created_by)
            .optional_time(file.expires_at)
            .optional_time(file.ends_at())
            .time(file.created_at)
            .time(file.updated_at)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn insert_content(
        &mut self,
        organization_id: OrganizationId,
        file_id: FileId,
        content: &[u8],
        blob: Option<StoredBlob>,
    ) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        insert_blobs(connection, blob.as_ref().as_slice()).await?;
        let text = "INSERT INTO file_contents (organization_id, file_id, content, blob_id) VALUES ($1, $2, $3, $4)";
        let statement = Sql::new(text)
            .uuid(organization_id.0)
            .uuid(file_id.0)
            .optional_bytes(blob.is_none().then_some(content))
            .bind::<Nullable<SqlUuid>, _>(blob.as_ref().map(|blob| blob.blob_id));
        expect_rows(statement.run(connection).await?, 1)
    }

    async fn complete(&mut self, file: &InboxFile) -> Result<(), StoreError> {
        let text = "UPDATE files SET is_ready = true, ends_at = $3, updated_at = $4
            WHERE organization_id = $1 AND file_id = $2";
        let statement = Sql::new(text)
            .uuid(file.organization_id.0)
            .uuid(file.file_id.0)
            .optional_time(file.ends_at())
            .time(file.updated_at);
        expect_rows(statement.run(self.connection().await?).await?, 1)
    }

    async fn delete(&mut self, organization_id: OrganizationId, file_id: FileId) -> Result<(), StoreError> {
        let text = "WITH contents AS (DELETE FROM file_contents WHERE organization_id = $1 AND file_id = $2)
            DELETE FROM files WHERE organization_id = $1 AND file_id = $2";
        let statement = Sql::new(text).uuid(organization_id.0).uuid(file_id.0);
        expect_rows(statement.run(self.connection().await?).await?, 1)
    }

    async fn delete_expired(&mut self, now: OffsetDateTime, limit: u32) -> Result<Vec<InboxFile>, StoreError> {
        // The lock of the inbox keeps its usage, and excludes new legal holds. One that committed before the lock is seen by
        // the second statement alone.
        let text = format!(
            "SELECT f.organization_id, f.file_id FROM files f {LIVE} WHERE f.ends_at <= $1 AND {UNHELD}
            ORDER BY f.ends_at LIMIT $2 FOR UPDATE OF f SKIP LOCKED FOR KEY SHARE OF i SKIP LOCKED"
        );
        let connection = self.connection().await?;
        let expired = Sql::new(text).time(now).big(limit.into()).rows::<ExpiredRow>(connection).await?;
        if expired.is_empty() {
            return Ok(Vec::new());
        }
        let text = format!(
            "WITH gone AS MATERIALIZED (
                SELECT f.organization_id, f.file_id
                FROM unnest($1::uuid[], $2::uuid[]) AS expired(organization_id, file_id)
                    JOIN files f USING (organization_id, file_id)
                WHERE {UNHELD}
            ), contents AS (
                DELETE FROM file_contents c USING gone g
                WHERE c.organization_id = g.organization_id AND c.file_id = g.file_id
            )
            DELETE FROM files f USING gone g
            WHERE f.organization_id = g.organization_id AND f.file_id = g.file_id RETURNING {FILE}"
        );
        let rows = Sql::new(text)
            .uuids(expired.iter().map(|row| row.organization_id))
            .uuids(expired.iter().map(|row| row.file_id))
            .rows::<FileRow>(connection)
            .await?;
        rows.into_iter().map(FileRow::entity).collect()
    }
}

/// Locks a file and reads it. Two statements, because the lock may have waited for an upload that the snapshot of its
/// statement lacks.
async fn locked<'a>(
    condition: &str,
    bound: impl Fn(String) -> Sql<'a>,
    connection: &mut AsyncPgConnection,
) -> Result<Option<LockedFile>, StoreError> {
    let selected = format!("{} AND {condition}", *LOCKED);
    if bound(format!("{selected} FOR UPDATE OF f")).row::<LockedRow>(connection).await?.is_none() {
        return Ok(None);
    }
    let row = bound(selected).row::<LockedRow>(connection).await?;
    row.map(|LockedRow { file, has_content }| Ok(LockedFile { file: file.entity()?, has_content })).transpose()
}
