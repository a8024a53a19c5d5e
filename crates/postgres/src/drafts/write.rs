//! Writes of drafts.
//!
//! The revision of a claim identifies it: a sender deletes that revision, or nothing.

use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::sql_types::{Bool, Jsonb, Nullable, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{
    ClaimedDraft, Draft, DraftId, DraftItem, DraftKind, InboxId, MessageId, OrganizationId, StoredBlob,
};
use inboxd_core::ports::{DraftContent, DraftWrites, StoreError};
use time::{Duration, OffsetDateTime};

use super::rows::{DraftClaimRow, DraftRow, HELD_MAIL, INBOX_LIVES, ITEM, LastChange, MAY_LEAVE};
use crate::blobs::rows::insert_blobs;
use crate::error::expect_rows;
use crate::json::to_json;
use crate::scalar_rows::CountRow;
use crate::sql::Sql;
use crate::tx::PgTx;
use crate::usage::{from_count, to_count};

/// `MATERIALIZED` ensures that rows are picked and locked once.
static CLAIM: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH due AS MATERIALIZED (
        SELECT d.organization_id, d.draft_id FROM drafts d WHERE d.due_at <= $1 AND {MAY_LEAVE}
        ORDER BY d.due_at LIMIT $3 FOR NO KEY UPDATE OF d SKIP LOCKED
    )
    UPDATE drafts d SET claimed_until = $2, due_at = $2, revision = d.revision + 1
    FROM due WHERE d.organization_id = due.organization_id AND d.draft_id = due.draft_id
    RETURNING d.organization_id, d.draft_id, d.revision"
    )
});

const INSERT: &str = "
    INSERT INTO drafts (organization_id, draft_id, labels, to_, cc, bcc, reply_to, subject, preview, text, html,
        attachments, send_at, has_failed, claimed_until, revision, due_at, updated_by, updated_at, size,
        delayed, approval, approval_expires_at, pod_id, inbox_id, client_id, in_reply_to, thread_id, references_,
        forward_of, created_by, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
        $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32)";

const UPDATE: &str = "
    UPDATE drafts SET labels = $3, to_ = $4, cc = $5, bcc = $6, reply_to = $7, subject = $8, preview = $9, text = $10,
        html = $11, attachments = $12, send_at = $13, has_failed = $14, claimed_until = $15, revision = $16,
        due_at = $17, updated_by = $18, updated_at = $19, size = $20,
        delayed = $21, approval = $22, approval_expires_at = $23, forward_of = $24
    WHERE organization_id = $1 AND draft_id = $2";

#[async_trait]
impl DraftWrites for PgTx {
    async fn insert(&mut self, draft: &Draft, contents: &[DraftContent]) -> Result<(), StoreError> {
        let item = &draft.item;
        let connection = self.connection().await?;
        let (in_reply_to, references, forward_of) = match &item.kind {
            DraftKind::Plain => (None, [].as_slice(), None),
            DraftKind::Reply { in_reply_to, references, .. } => (Some(in_reply_to), references.as_slice(), None),
            DraftKind::Forward { forward_of } => (None, [].as_slice(), Some(forward_of)),
        };
        changeable(INSERT, draft)?
            .uuid(item.pod_id.0)
            .text(item.inbox_id.as_str())
            .optional_text(item.client_id.as_deref())
            .optional_text(in_reply_to.map(MessageId::as_str))
            .bind::<Nullable<SqlUuid>, _>(item.thread_id().map(|thread_id| thread_id.0))
            .texts(references.iter().map(MessageId::as_str))
            .optional_text(forward_of.map(MessageId::as_str))
            .json(to_json(&item.created_by)?)
            .time(item.created_at)
            .run(connection)
            .await?;
        insert_contents(connection, item, contents).await
    }

    async fn lock(&mut self, organization_id: OrganizationId, draft_id: DraftId) -> Result<Option<Draft>, StoreError> {
        let text = format!(
            "SELECT {ITEM}, d.text, d.html FROM drafts d
            WHERE d.organization_id = $1 AND d.draft_id = $2 AND {INBOX_LIVES} FOR NO KEY UPDATE OF d"
        );
        let row =
            Sql::new(text).uuid(organization_id.0).uuid(draft_id.0).row::<DraftRow>(self.connection().await?).await?;
        row.map(DraftRow::entity).transpose()
    }

    async fn lock_delayed(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
    ) -> Result<Option<Draft>, StoreError> {
        let text = format!(
            "SELECT {ITEM}, d.text, d.html FROM drafts d
            WHERE d.organization_id = $1 AND d.inbox_id = $2 AND d.delayed ->> 'message_id' = $3
                AND d.delayed IS NOT NULL AND {INBOX_LIVES} FOR NO KEY UPDATE OF d"
        );
        let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).text(message_id.as_str());
        let row = statement.row::<DraftRow>(self.connection().await?).await?;
        row.map(DraftRow::entity).transpose()
    }

    async fn update(&mut self, draft: &Draft, added: &[DraftContent]) -> Result<(), StoreError> {
        let item = &draft.item;
        let connection = self.connection().await?;
        let forward_of = match &item.kind {
            DraftKind::Forward { forward_of } => Some(forward_of.as_str()),
            DraftKind::Plain | DraftKind::Reply { .. } => None,
        };
        let written = changeable(UPDATE, draft)?.optional_text(forward_of).run(connection).await?;
        expect_rows(written, 1)?;
        insert_contents(connection, item, added).await?;
        let held_mail = item.awaits_approval().then_some(HELD_MAIL);
        let kept = item.attachments.iter().map(|attachment| attachment.attachment_id).chain(held_mail);
        let text = "DELETE FROM draft_attachments
            WHERE organization_id = $1 AND draft_id = $2 AND attachment_id <> ALL($3)";
        Sql::new(text)
            .uuid(item.organization_id.0)
            .uuid(item.draft_id.0)
            .uuids(kept.map(|attachment_id| attachment_id.0))
            .run(connection)
            .await?;
        Ok(())
    }

    async fn keep_held_mail(
        &mut self,
        organization_id: OrganizationId,
        draft_id: DraftId,
        raw: &[u8],
        blob: Option<StoredBlob>,
    ) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        insert_blobs(connection, blob.as_ref().as_slice()).await?;
        // A trigger releases the object of an earlier message.
        let text = "INSERT INTO draft_attachments (organization_id, draft_id, attachment_id, content, blob_id)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT ON CONSTRAINT draft_attachments_pkey DO UPDATE
                SET content = EXCLUDED.content, blob_id = EXCLUDED.blob_id";
        let statement = Sql::new(text)
            .uuid(organization_id.0)
            .uuid(draft_id.0)
            .uuid(HELD_MAIL.0)
            .optional_bytes(blob.is_none().then_some(raw))
            .bind::<Nullable<SqlUuid>, _>(blob.as_ref().map(|blob| blob.blob_id));
        expect_rows(statement.run(connection).await?, 1)
    }

    async fn claim_due(
        &mut self,
        now: OffsetDateTime,
        lease: Duration,
        limit: u32,
    ) -> Result<Vec<ClaimedDraft>, StoreError> {
        let rows = Sql::new(CLAIM.as_str())
            .time(now)
            .time(now.saturating_add(lease))
            .big(i64::from(limit))
            .rows::<DraftClaimRow>(self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(DraftClaimRow::entity).collect())
    }

    async fn remove(&mut self, draft: &ClaimedDraft) -> Result<Option<u64>, StoreError> {
        let text = "WITH gone AS (
                DELETE FROM drafts WHERE organization_id = $1 AND draft_id = $2 AND revision = $3
                RETURNING organization_id, draft_id, size
            ), contents AS (
                DELETE FROM draft_attachments a USING gone g
                WHERE a.organization_id = g.organization_id AND a.draft_id = g.draft_id
            )
            SELECT size AS count FROM gone";
        let deleted = Sql::new(text)
            .uuid(draft.organization_id.0)
            .uuid(draft.draft_id.0)
            .big(from_count(draft.revision))
            .row::<CountRow>(self.connection().await?)
            .await?;
        Ok(deleted.map(|row| to_count(row.count)))
    }
}

/// Binds the keys of a draft and all changeable columns as `$1` to `$23`.
fn changeable<'a>(text: &'a str, draft: &'a Draft) -> Result<Sql<'a>, StoreError> {
    let DraftItem { dispatch, .. } = &draft.item;
    let item = &draft.item;
    let waiting = item.approval.as_ref().filter(|_| item.awaits_approval());
    Ok(Sql::new(text)
        .uuid(item.organization_id.0)
        .uuid(item.draft_id.0)
        .texts(item.labels.iter())
        .texts(item.to.iter().map(String::as_str))
        .texts(item.cc.iter().map(String::as_str))
        .texts(item.bcc.iter().map(String::as_str))
        .texts(item.reply_to.iter().map(String::as_str))
        .optional_text(item.subject.as_deref())
        .optional_text(item.preview.as_deref())
        .optional_text(draft.text.as_deref())
        .optional_text(draft.html.as_deref())
        .json(to_json(&item.attachments)?)
        .optional_time(dispatch.send_at)
        .bind::<Bool, _>(dispatch.has_failed)
        .optional_time(dispatch.claimed_until)
        .big(from_count(dispatch.revision))
        .optional_time(dispatch.due_at())
        .json(to_json(&LastChange { by: item.updated_by.clone(), agent: item.agent.clone() })?)
        .time(item.updated_at)
        .big(from_count(draft.size()))
        .bind::<Nullable<Jsonb>, _>(item.delayed.as_ref().map(to_json).transpose()?)
        .bind::<Nullable<Jsonb>, _>(item.approval.as_ref().map(to_json).transpose()?)
        .optional_time(waiting.map(|approval| approval.expires_at)))
}

async fn insert_contents(
    connection: &mut AsyncPgConnection,
    item: &DraftItem,
    contents: &[DraftContent],
) -> Result<(), StoreError> {
    let text = "INSERT INTO draft_attachments (organization_id, draft_id, attachment_id, content, blob_id)
        VALUES ($1, $2, $3, $4, $5)";
    let blobs: Vec<&StoredBlob> = contents.iter().filter_map(|content| content.blob.as_ref()).collect();
    insert_blobs(connection, &blobs).await?;
    for DraftContent { attachment_id, content, blob } in contents {
        Sql::new(text)
            .uuid(item.organization_id.0)
            .uuid(item.draft_id.0)
            .uuid(attachment_id.0)
            .optional_bytes(blob.is_none().then_some(content.as_slice()))
            .bind::<Nullable<SqlUuid>, _>(blob.as_ref().map(|blob| blob.blob_id))
            .run(connection)
            .await?;
    }
    Ok(())
}
