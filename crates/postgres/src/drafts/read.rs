//! Reads of drafts.

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Binary, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName};
use diesel_async::RunQueryDsl;
use inboxd_core::model::{
    AttachmentId, ClaimedDraft, Content, ContentFilter, Draft, DraftId, DraftItem, InboxId, OrganizationId, Page,
    ThreadId,
};
use inboxd_core::ports::{ClientIdKind, DraftContent, DraftQuery, DraftReads, DraftText, MadeDraft, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::list;
use super::rows::{DraftClaimRow, DraftRow, HELD_MAIL, INBOX_LIVES, ITEM, MAY_LEAVE};
use crate::blobs::rows::{BLOB, BlobRow};
use crate::blobs::{content_condition, content_of_row};
use crate::error::failure;
use crate::schema::client_ids;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::text::stored;
use crate::usage::to_count;

#[derive(QueryableByName)]
struct DueRow {
    #[diesel(sql_type = Timestamptz)]
    due_at: OffsetDateTime,
}

#[derive(QueryableByName)]
struct DraftContentRow {
    #[diesel(sql_type = SqlUuid)]
    attachment_id: Uuid,
    /// `None` for an object.
    #[diesel(sql_type = Nullable<Binary>)]
    content: Option<Vec<u8>>,
    #[diesel(embed)]
    blob: BlobRow,
}

impl DraftContentRow {
    fn entity(self, organization_id: OrganizationId) -> Result<Content, StoreError> {
        let content = content_of_row(self.content, self.blob.entity(organization_id)?);
        content.ok_or_else(|| StoreError::Failed("an attachment has no content".to_owned()))
    }
}

#[derive(QueryableByName)]
struct DraftTextRow {
    #[diesel(sql_type = SqlUuid)]
    draft_id: Uuid,
    #[diesel(sql_type = BigInt)]
    revision: i64,
    #[diesel(sql_type = Text)]
    text: String,
}

impl DraftTextRow {
    fn entity(self) -> DraftText {
        DraftText { draft_id: self.draft_id.into(), revision: to_count(self.revision), text: self.text }
    }
}

/// Returns the query for contents of the draft `$2` of organization `$1`, by a condition on their id.
fn content_query(condition: &str) -> String {
    format!(
        "SELECT a.attachment_id, a.content, {BLOB} FROM draft_attachments a
            LEFT JOIN blobs x ON x.organization_id = a.organization_id AND x.blob_id = a.blob_id
        WHERE a.organization_id = $1 AND a.draft_id = $2 AND {condition}"
    )
}

#[async_trait]
impl DraftReads for PgStore {
    async fn list_drafts(&self, query: &DraftQuery) -> Result<Page<DraftItem>, StoreError> {
        list::list(self, query).await
    }

    async fn draft(&self, organization_id: OrganizationId, draft_id: DraftId) -> Result<Option<Draft>, StoreError> {
        let text = format!(
            "SELECT {ITEM}, d.text, d.html FROM drafts d
            WHERE d.organization_id = $1 AND d.draft_id = $2 AND {INBOX_LIVES}"
        );
        let statement = Sql::new(text).uuid(organization_id.0).uuid(draft_id.0);
        let row = statement.row::<DraftRow>(&mut *self.connection().await?).await?;
        row.map(DraftRow::entity).transpose()
    }

    async fn short_draft_texts(
        &self,
        organization_id: OrganizationId,
        draft_ids: &[DraftId],
        max_bytes: u32,
    ) -> Result<Vec<DraftText>, StoreError> {
        let text = "SELECT draft_id, revision, coalesce(text, '') AS text FROM drafts
            WHERE organization_id = $1 AND draft_id = ANY($2) AND html IS NULL
                AND octet_length(coalesce(text, '')) <= $3";
        let statement = Sql::new(text)
            .uuid(organization_id.0)
            .uuids(draft_ids.iter().map(|draft_id| draft_id.0))
            .big(i64::from(max_bytes));
        let rows = statement.rows::<DraftTextRow>(&mut *self.connection().await?).await?;
        Ok(rows.into_iter().map(DraftTextRow::entity).collect())
    }

    async fn draft_of_client_id(
        &self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<MadeDraft>, StoreError> {
        let made: Option<String> = client_ids::table
            .filter(client_ids::organization_id.eq(organization_id.0))
            .filter(client_ids::kind.eq(ClientIdKind::Draft.as_str()))
            .filter(client_ids::client_id.eq(stored(client_id)))
            .select(client_ids::made)
            .first(&mut *self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        let Some(made) = made else { return Ok(None) };
        let draft_id = made.parse().map_err(|_| StoreError::Failed(format!("{made} is not a draft id")))?;
        let draft = self.draft(organization_id, draft_id).await?;
        Ok(Some(draft.map_or(MadeDraft::Gone, |draft| MadeDraft::Here(Box::new(draft)))))
    }

    async fn drafts_of_thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        limit: u32,
        largest_body: u32,
    ) -> Result<Vec<Draft>, StoreError> {
        let text = format!(
            "SELECT {ITEM}, CASE WHEN octet_length(d.text) <= $5 THEN d.text END AS text,
                CASE WHEN octet_length(d.html) <= $5 THEN d.html END AS html
            FROM drafts d
            WHERE d.organization_id = $1 AND d.inbox_id = $2 AND d.thread_id = $3 AND {INBOX_LIVES}
            ORDER BY d.updated_at DESC, d.draft_id DESC LIMIT $4"
        );
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .uuid(thread_id.0)
            .big(i64::from(limit))
            .big(i64::from(largest_body))
            .rows::<DraftRow>(&mut *self.connection().await?)
            .await?;
        rows.into_iter().map(DraftRow::entity).collect()
    }

    async fn draft_contents(
        &self,
        organization_id: OrganizationId,
        draft_id: DraftId,
    ) -> Result<Vec<DraftContent>, StoreError> {
        let text = content_query("a.attachment_id <> $3");
        let statement = Sql::new(text).uuid(organization_id.0).uuid(draft_id.0).uuid(HELD_MAIL.0);
        let rows = statement.rows::<DraftContentRow>(&mut *self.connection().await?).await?;
        let mut contents = Vec::with_capacity(rows.len());
        for row in rows {
            let attachment_id = row.attachment_id.into();
            let content = self.read_content(row.entity(organization_id)?).await?;
            contents.push(DraftContent { attachment_id, content, blob: None });
        }
        Ok(contents)
    }

    async fn draft_content(
        &self,
        organization_id: OrganizationId,
        draft_id: DraftId,
        attachment_id: AttachmentId,
        filter: ContentFilter,
    ) -> Result<Option<Content>, StoreError> {
        let text = content_query(&format!("a.attachment_id = $3 AND {}", content_condition(filter)));
        let statement = Sql::new(text).uuid(organization_id.0).uuid(draft_id.0).uuid(attachment_id.0);
        let row = statement.row::<DraftContentRow>(&mut *self.connection().await?).await?;
        row.map(|row| row.entity(organization_id)).transpose()
    }

    async fn held_mail(
        &self,
        organization_id: OrganizationId,
        draft_id: DraftId,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.draft_content(organization_id, draft_id, HELD_MAIL, ContentFilter::All).await?;
        let Some(content) = found else { return Ok(None) };
        self.read_content(content).await.map(Some)
    }

    async fn expired_approvals(&self, before: OffsetDateTime, limit: u32) -> Result<Vec<ClaimedDraft>, StoreError> {
        let text = format!(
            "SELECT d.organization_id, d.draft_id, d.revision FROM drafts d
            WHERE d.approval_expires_at <= $1 AND {INBOX_LIVES} ORDER BY d.approval_expires_at LIMIT $2"
        );
        let rows = Sql::new(text)
            .time(before)
            .big(i64::from(limit))
            .rows::<DraftClaimRow>(&mut *self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(DraftClaimRow::entity).collect())
    }

    async fn next_due_draft(&self) -> Result<Option<OffsetDateTime>, StoreError> {
        let text = format!(
            "SELECT d.due_at FROM drafts d WHERE d.due_at IS NOT NULL AND {MAY_LEAVE} ORDER BY d.due_at LIMIT 1"
        );
        let row = Sql::new(text).row::<DueRow>(&mut *self.connection().await?).await?;
        Ok(row.map(|row| row.due_at))
    }
}
