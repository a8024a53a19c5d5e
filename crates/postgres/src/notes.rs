//! Notes on threads. The statements that delete threads also delete their notes.

use async_trait::async_trait;
use diesel::QueryableByName;
use inboxd_core::model::{InboxId, Note, OrganizationId, ThreadId};
use inboxd_core::ports::{NoteReads, NoteWrites, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::expect_rows;
use crate::json::{StoredJson, from_json, to_json};
use crate::scalar_rows::CountRow;
use crate::schema::notes;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;
use crate::usage::to_count;

#[derive(QueryableByName)]
#[diesel(table_name = notes)]
struct NoteRow {
    organization_id: Uuid,
    inbox_id: String,
    thread_id: Uuid,
    note_id: Uuid,
    text: String,
    created_by: StoredJson,
    created_at: OffsetDateTime,
}

impl NoteRow {
    fn entity(self) -> Result<Note, StoreError> {
        Ok(Note {
            organization_id: self.organization_id.into(),
            inbox_id: InboxId::stored(self.inbox_id),
            thread_id: self.thread_id.into(),
            note_id: self.note_id.into(),
            text: self.text,
            created_by: from_json(self.created_by)?,
            created_at: self.created_at,
        })
    }
}

#[async_trait]
impl NoteReads for PgStore {
    async fn notes_of_thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<Vec<Note>, StoreError> {
        let text = "SELECT organization_id, inbox_id, thread_id, note_id, text, created_by, created_at FROM notes
            WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3 ORDER BY created_at, note_id";
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .uuid(thread_id.0)
            .rows::<NoteRow>(&mut *self.connection().await?)
            .await?;
        rows.into_iter().map(NoteRow::entity).collect()
    }
}

#[async_trait]
impl NoteWrites for PgTx {
    async fn count(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<u64, StoreError> {
        let text = "SELECT count(*) AS count FROM notes
            WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3";
        let row = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .uuid(thread_id.0)
            .row::<CountRow>(self.connection().await?)
            .await?;
        Ok(row.map_or(0, |row| to_count(row.count)))
    }

    async fn insert(&mut self, note: &Note) -> Result<(), StoreError> {
        let text = "WITH used AS (
                INSERT INTO inbox_usage (organization_id, inbox_id, storage_bytes, messages, threads)
                VALUES ($1, $2, octet_length($5), 0, 0)
                ON CONFLICT (organization_id, inbox_id) DO UPDATE SET
                    storage_bytes = inbox_usage.storage_bytes + excluded.storage_bytes
            )
            INSERT INTO notes (organization_id, inbox_id, thread_id, note_id, text, created_by, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let written = Sql::new(text)
            .uuid(note.organization_id.0)
            .text(note.inbox_id.as_str())
            .uuid(note.thread_id.0)
            .uuid(note.note_id.0)
            .text(&note.text)
            .json(to_json(&note.created_by)?)
            .time(note.created_at)
            .run(self.connection().await?)
            .await?;
        expect_rows(written, 1)
    }

    async fn delete(&mut self, note: &Note) -> Result<bool, StoreError> {
        let text = "WITH gone AS (
                DELETE FROM notes WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3 AND note_id = $4
                RETURNING octet_length(text) AS size
            ), freed AS (
                UPDATE inbox_usage SET storage_bytes = storage_bytes - gone.size
                FROM gone WHERE organization_id = $1 AND inbox_id = $2
            )
            SELECT count(*) AS count FROM gone";
        let deleted = Sql::new(text)
            .uuid(note.organization_id.0)
            .text(note.inbox_id.as_str())
            .uuid(note.thread_id.0)
            .uuid(note.note_id.0)
            .row::<CountRow>(self.connection().await?)
            .await?;
        Ok(deleted.is_some_and(|row| row.count > 0))
    }
}
