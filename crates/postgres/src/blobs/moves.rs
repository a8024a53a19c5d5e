//! Moves of contents between their rows and objects.
//!
//! Each kind of rows has a text key of two parts behind the organization, so that one set of statements serves all.

use diesel::QueryableByName;
use diesel::sql_types::{Binary, Bool, Nullable, Text, Uuid as SqlUuid};
use inboxd_core::model::{BlobKind, InboxId, MessageId, StoredBlob};
use inboxd_core::ports::{ContentKey, ContentKind, ContentPage, MessageKey, PlacedContent, StoreError, Tx as _};
use uuid::Uuid;

use super::rows::{BLOB, BlobRow, insert_blobs};
use super::{content_of_row, raw_of_row};
use crate::accounts::rows::stored_hash;
use crate::attachment_index::lock_thread_of;
use crate::messages::body::raw_frame;
use crate::sql::Sql;
use crate::store::PgStore;

/// Rows that one statement of a walk reads.
const PAGE_ROWS: usize = 1000;

/// Table of a kind of rows.
struct ContentTable {
    name: &'static str,
    /// Columns of the key behind the organization.
    key: [&'static str; 2],
    /// SQL type of these.
    key_type: &'static str,
    /// Column of the content.
    content: &'static str,
}

const MAIL: ContentTable =
    ContentTable { name: "message_bodies", key: ["inbox_id", "message_id"], key_type: "text", content: "large_raw" };
const DRAFT_ATTACHMENTS: ContentTable = ContentTable {
    name: "draft_attachments",
    key: ["draft_id", "attachment_id"],
    key_type: "uuid",
    content: "content",
};
// The first column is repeated, since the key has one.
const FILES: ContentTable =
    ContentTable { name: "file_contents", key: ["file_id", "file_id"], key_type: "uuid", content: "content" };

#[derive(QueryableByName)]
struct KeyRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = Text)]
    first: String,
    #[diesel(sql_type = Text)]
    second: String,
    #[diesel(sql_type = Bool)]
    is_misplaced: bool,
}

#[derive(QueryableByName)]
struct PlacedRow {
    #[diesel(sql_type = Nullable<Binary>)]
    content: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Binary>)]
    row_sha256: Option<Vec<u8>>,
    #[diesel(embed)]
    blob: BlobRow,
}

fn table_of(kind: ContentKind) -> ContentTable {
    match kind {
        ContentKind::Mail => MAIL,
        ContentKind::DraftAttachment => DRAFT_ATTACHMENTS,
        ContentKind::File => FILES,
    }
}

/// Returns the table of a row and its key in texts.
fn parts(key: &ContentKey) -> (ContentTable, Uuid, String, String) {
    match key {
        ContentKey::Mail(MessageKey { organization_id, inbox_id, message_id }) => {
            (MAIL, organization_id.0, inbox_id.as_str().to_owned(), message_id.as_str().to_owned())
        }
        ContentKey::DraftAttachment(organization_id, draft_id, attachment_id) => {
            (DRAFT_ATTACHMENTS, organization_id.0, draft_id.0.to_string(), attachment_id.0.to_string())
        }
        ContentKey::File(organization_id, file_id) => {
            (FILES, organization_id.0, file_id.0.to_string(), file_id.0.to_string())
        }
    }
}

impl KeyRow {
    fn entity(self, kind: ContentKind) -> Result<ContentKey, StoreError> {
        let Self { organization_id, first, second, .. } = self;
        let uuid = |text: &str| Uuid::try_parse(text).map_err(|error| StoreError::Failed(error.to_string()));
        let organization_id = organization_id.into();
        Ok(match kind {
            ContentKind::Mail => ContentKey::Mail(MessageKey {
                organization_id,
                inbox_id: InboxId::stored(first),
                message_id: MessageId::stored(second),
            }),
            ContentKind::DraftAttachment => {
                ContentKey::DraftAttachment(organization_id, uuid(&first)?.into(), uuid(&second)?.into())
            }
            ContentKind::File => ContentKey::File(organization_id, uuid(&first)?.into()),
        })
    }
}

/// Returns the next page of the rows of a kind, with those that have their content elsewhere than in the target. The
/// subquery walks the primary key.
pub(super) async fn misplaced(
    store: &PgStore,
    kind: ContentKind,
    target: Option<BlobKind>,
    threshold: usize,
    after: Option<&ContentKey>,
) -> Result<ContentPage, StoreError> {
    let ContentTable { name, key: [first, second], key_type, content } = table_of(kind);
    let text = format!(
        "SELECT k.organization_id, k.first, k.second,
            CASE WHEN $5::text IS NULL THEN k.blob_id IS NOT NULL
                ELSE x.store IS DISTINCT FROM $5 AND (k.is_large OR k.blob_id IS NOT NULL) END AS is_misplaced
        FROM (
            SELECT organization_id, {first}::text AS first, {second}::text AS second, blob_id,
                coalesce(octet_length({content}) > $6, false) AS is_large
            FROM {name}
            WHERE (organization_id, {first}, {second}) > ($1, ($2::text)::{key_type}, ($3::text)::{key_type})
            ORDER BY organization_id, {name}.{first}, {name}.{second} LIMIT $4
        ) k LEFT JOIN blobs x ON x.organization_id = k.organization_id AND x.blob_id = k.blob_id
        ORDER BY k.organization_id, k.first COLLATE \"C\", k.second COLLATE \"C\""
    );
    let start = if key_type == "uuid" { Uuid::nil().to_string() } else { String::new() };
    let (organization_id, after_first, after_second) = match after.map(parts) {
        Some((_, organization_id, first, second)) => (organization_id, first, second),
        None => (Uuid::nil(), start.clone(), start),
    };
    // A compressed frame can be smaller than its raw mail.
    let threshold = if kind == ContentKind::Mail { 0 } else { threshold };
    let rows = Sql::new(text)
        .uuid(organization_id)
        .text(&after_first)
        .text(&after_second)
        .big(i64::try_from(PAGE_ROWS).unwrap_or(i64::MAX))
        .optional_text(target.map(BlobKind::as_str))
        .big(i64::try_from(threshold).unwrap_or(i64::MAX))
        .rows::<KeyRow>(&mut *store.connection().await?)
        .await?;
    let is_full = rows.len() >= PAGE_ROWS;
    let mut page = ContentPage::default();
    let mut last = None;
    for row in rows {
        let is_misplaced = row.is_misplaced;
        let key = row.entity(kind)?;
        if is_misplaced {
            page.misplaced.push(key.clone());
        }
        last = Some(key);
    }
    page.next = last.filter(|_| is_full);
    Ok(page)
}

/// Returns the condition that a row has the key `$1` to `$3`.
fn key_condition(table: &ContentTable) -> String {
    let ContentTable { key: [first, second], key_type, .. } = table;
    format!("t.organization_id = $1 AND t.{first} = ($2::text)::{key_type} AND t.{second} = ($3::text)::{key_type}")
}

/// Returns the content of a row and its place; `None` if the row is gone or has none.
pub(super) async fn placed(store: &PgStore, key: &ContentKey) -> Result<Option<PlacedContent>, StoreError> {
    let (table, organization_id, first, second) = parts(key);
    let text = format!(
        "SELECT t.{content} AS content, sha256(t.{content}) AS row_sha256, {BLOB} FROM {name} t
            LEFT JOIN blobs x ON x.organization_id = t.organization_id AND x.blob_id = t.blob_id
        WHERE {condition}",
        content = table.content,
        name = table.name,
        condition = key_condition(&table),
    );
    let statement = Sql::new(text).uuid(organization_id).text(&first).text(&second);
    let row = statement.row::<PlacedRow>(&mut *store.connection().await?).await?;
    let Some(PlacedRow { content, row_sha256, blob }) = row else { return Ok(None) };
    let blob = blob.entity(organization_id.into())?;
    let content = match key {
        ContentKey::Mail(_) => raw_of_row(content, blob.clone()).await?,
        ContentKey::DraftAttachment(..) | ContentKey::File(..) => content_of_row(content, blob.clone()),
    };
    let Some(content) = content else { return Ok(None) };
    let content = store.read_content(content).await?;
    let row_sha256 = row_sha256.map(stored_hash).transpose()?;
    Ok(Some(PlacedContent { content, blob, row_sha256 }))
}

/// Changes the place of a content, unless its row has changed. A trigger moves the previous object to those that wait for
/// their removal.
pub(super) async fn replace(
    store: &PgStore,
    key: &ContentKey,
    from: &PlacedContent,
    to: Option<&StoredBlob>,
) -> Result<bool, StoreError> {
    let (table, organization_id, first, second) = parts(key);
    let frame;
    let content = match (to, key) {
        (Some(_), _) => None,
        (None, ContentKey::Mail(_)) => {
            frame = raw_frame(&from.content).await?;
            Some(frame.as_slice())
        }
        (None, ContentKey::DraftAttachment(..) | ContentKey::File(..)) => Some(from.content.as_slice()),
    };
    let text = format!(
        "UPDATE {name} t SET {content} = $4, blob_id = $5
        WHERE {condition} AND t.blob_id IS NOT DISTINCT FROM $6 AND ($7::bytea IS NULL OR sha256(t.{content}) = $7)",
        content = table.content,
        name = table.name,
        condition = key_condition(&table),
    );
    let mut tx = store.unit_of_work().await?;
    let connection = tx.connection().await?;
    if let ContentKey::Mail(message) = key {
        // A redaction waits for the move, and then also takes the previous object.
        lock_thread_of(connection, message).await?;
    }
    insert_blobs(connection, to.as_slice()).await?;
    let written = Sql::new(text)
        .uuid(organization_id)
        .text(&first)
        .text(&second)
        .optional_bytes(content)
        .bind::<Nullable<SqlUuid>, _>(to.map(|blob| blob.blob_id))
        .bind::<Nullable<SqlUuid>, _>(from.blob.as_ref().map(|blob| blob.blob_id))
        .optional_bytes(from.row_sha256.as_ref().map(<[u8; 32]>::as_slice))
        .run(connection)
        .await?;
    if written == 0 {
        return Ok(false);
    }
    Box::new(tx).commit().await?;
    Ok(true)
}
