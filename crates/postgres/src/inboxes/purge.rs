//! Purge of deleted inboxes.

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::AsyncPgConnection;
use inboxd_core::ports::StoreError;
use uuid::Uuid;

use crate::error::expect_rows;
use crate::messages::delete::delete_messages;
use crate::messages::rows::BY_IDS;
use crate::metrics::sample;
use crate::schema::inboxes;
use crate::search::forget::forget;
use crate::sql::Sql;

/// Files or drafts deleted by one unit of work: their contents are large.
const MAX_PURGED_CONTENTS: i64 = 20;

/// Statements that delete up to `$3` rows of an inbox with their contents.
const WITH_CONTENTS: [&str; 2] = [
    "WITH gone AS MATERIALIZED (
            SELECT organization_id, file_id FROM files WHERE organization_id = $1 AND inbox_id = $2 LIMIT $3
        ), contents AS (
            DELETE FROM file_contents c USING gone g
            WHERE c.organization_id = g.organization_id AND c.file_id = g.file_id
        )
        DELETE FROM files f USING gone g WHERE f.organization_id = g.organization_id AND f.file_id = g.file_id",
    "WITH gone AS MATERIALIZED (
            SELECT organization_id, draft_id FROM drafts WHERE organization_id = $1 AND inbox_id = $2 LIMIT $3
        ), contents AS (
            DELETE FROM draft_attachments a USING gone g
            WHERE a.organization_id = g.organization_id AND a.draft_id = g.draft_id
        )
        DELETE FROM drafts d USING gone g WHERE d.organization_id = g.organization_id AND d.draft_id = g.draft_id",
];

#[derive(QueryableByName)]
#[diesel(table_name = inboxes)]
struct InboxKey {
    organization_id: Uuid,
    inbox_id: String,
}

#[derive(QueryableByName)]
struct MessageKey {
    #[diesel(sql_type = Text)]
    message_id: String,
}

/// Deletes up to `limit` messages of deleted inboxes, with their threads, label history, first reads, index rows, files
/// and drafts. Returns their number: less than `limit` when nothing is left. Inboxes that another process purges are
/// skipped.
pub(super) async fn purge_deleted(connection: &mut AsyncPgConnection, limit: u32) -> Result<u64, StoreError> {
    let mut left = limit;
    while left > 0 {
        let Some(inbox) = next_inbox(connection).await? else { break };
        let removed = purge_inbox(connection, &inbox, left).await?;
        left = left.saturating_sub(removed);
        if left > 0 {
            let forgotten = purge_history(connection, &inbox, left).await?;
            left = left.saturating_sub(forgotten);
        }
        if left > 0 {
            let index = forget(connection, inbox.organization_id, &inbox.inbox_id, left).await?;
            // The next purge finds the inbox again.
            let Some(forgotten) = index else { break };
            left = left.saturating_sub(forgotten);
        }
        if left > 0 && purge_contents(connection, &inbox).await? {
            // The next purge continues.
            return Ok(u64::from(limit));
        }
        if left > 0 {
            finish(connection, &inbox).await?;
        }
    }
    Ok(u64::from(limit - left))
}

async fn next_inbox(connection: &mut AsyncPgConnection) -> Result<Option<InboxKey>, StoreError> {
    let text = "SELECT organization_id, inbox_id FROM inboxes WHERE deleted_at IS NOT NULL AND purged_at IS NULL
        ORDER BY deleted_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED";
    Sql::new(text).row(connection).await
}

async fn purge_inbox(connection: &mut AsyncPgConnection, inbox: &InboxKey, limit: u32) -> Result<u32, StoreError> {
    let text = "SELECT message_id FROM messages WHERE organization_id = $1 AND inbox_id = $2
        ORDER BY message_id LIMIT $3";
    let keys = Sql::new(text)
        .uuid(inbox.organization_id)
        .text(&inbox.inbox_id)
        .big(i64::from(limit))
        .rows::<MessageKey>(connection)
        .await?;
    let message_ids: Vec<&str> = keys.iter().map(|key| key.message_id.as_str()).collect();
    delete_threads_within(connection, inbox, &message_ids).await?;
    let removed = delete_messages(connection, inbox.organization_id, &inbox.inbox_id, &message_ids).await?;
    expect_rows(removed, message_ids.len())?;
    Ok(u32::try_from(removed).unwrap_or(limit))
}

/// Deletes the threads that have no other messages than these.
///
/// The rows of `met` have the whole key of each thread, so that the join finds it by one lookup. With the key of the
/// inbox alone, a plan made for empty tables read all threads for each message. One other message is enough (`LIMIT 1`).
async fn delete_threads_within(
    connection: &mut AsyncPgConnection,
    inbox: &InboxKey,
    message_ids: &[&str],
) -> Result<(), StoreError> {
    let text = format!(
        "WITH met AS MATERIALIZED (
            SELECT DISTINCT m.organization_id, m.inbox_id, m.thread_id FROM {BY_IDS}
        ), doomed AS (
            DELETE FROM threads t USING met
            WHERE t.organization_id = met.organization_id AND t.inbox_id = met.inbox_id AND t.thread_id = met.thread_id
                AND (
                    SELECT true FROM messages m
                    WHERE m.organization_id = t.organization_id AND m.inbox_id = t.inbox_id AND m.thread_id = t.thread_id
                        AND m.message_id <> ALL($3)
                    LIMIT 1) IS NULL
            RETURNING t.organization_id, t.inbox_id, t.thread_id, t.labels, t.visible, t.timestamp
        ), unsaid AS (
            DELETE FROM notes n USING doomed d
            WHERE n.organization_id = d.organization_id AND n.inbox_id = d.inbox_id AND n.thread_id = d.thread_id
        ), label_rows AS MATERIALIZED (
            SELECT d.organization_id, d.inbox_id, gone.label, d.visible, d.timestamp, d.thread_id
            FROM doomed d CROSS JOIN LATERAL unnest(d.labels) AS gone(label)
        )
        DELETE FROM thread_labels l USING label_rows r
        WHERE l.organization_id = r.organization_id AND l.inbox_id = r.inbox_id AND l.label = r.label
            AND l.visible = r.visible AND l.timestamp = r.timestamp AND l.thread_id = r.thread_id"
    );
    Sql::new(text)
        .uuid(inbox.organization_id)
        .text(&inbox.inbox_id)
        .texts(message_ids.iter().copied())
        .run(connection)
        .await?;
    Ok(())
}

/// Deletes up to `limit` rows of the label history and first reads of an inbox without messages.
async fn purge_history(connection: &mut AsyncPgConnection, inbox: &InboxKey, limit: u32) -> Result<u32, StoreError> {
    let mut left = limit;
    for text in [
        "DELETE FROM label_history WHERE (organization_id, inbox_id, event_at, event_id) IN (
            SELECT organization_id, inbox_id, event_at, event_id FROM label_history
            WHERE organization_id = $1 AND inbox_id = $2 ORDER BY event_at, event_id LIMIT $3)",
        "DELETE FROM first_reads WHERE (organization_id, inbox_id, message_id, reader_id) IN (
            SELECT organization_id, inbox_id, message_id, reader_id FROM first_reads
            WHERE organization_id = $1 AND inbox_id = $2 ORDER BY message_id, reader_id LIMIT $3)",
    ] {
        let delete = Sql::new(text).uuid(inbox.organization_id).text(&inbox.inbox_id).big(i64::from(left));
        let forgotten = delete.run(connection).await?;
        left = left.saturating_sub(u32::try_from(forgotten).unwrap_or(left));
    }
    Ok(limit - left)
}

/// Deletes some files or drafts of an inbox. Returns whether more may remain.
async fn purge_contents(connection: &mut AsyncPgConnection, inbox: &InboxKey) -> Result<bool, StoreError> {
    for text in WITH_CONTENTS {
        let delete = Sql::new(text).uuid(inbox.organization_id).text(&inbox.inbox_id).big(MAX_PURGED_CONTENTS);
        if i64::try_from(delete.run(connection).await?).is_ok_and(|deleted| deleted >= MAX_PURGED_CONTENTS) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Marks an inbox as purged. Threads without messages should not exist; any left is deleted.
async fn finish(connection: &mut AsyncPgConnection, inbox: &InboxKey) -> Result<(), StoreError> {
    sample::delete_inbox_samples(connection, inbox.organization_id, &inbox.inbox_id).await?;
    for text in [
        "DELETE FROM thread_labels WHERE organization_id = $1 AND inbox_id = $2",
        "DELETE FROM notes WHERE organization_id = $1 AND inbox_id = $2",
        "DELETE FROM threads WHERE organization_id = $1 AND inbox_id = $2",
        "DELETE FROM calendar_events WHERE organization_id = $1 AND inbox_id = $2",
        "UPDATE events SET body = body - '{event,previous}'::text[]
            WHERE organization_id = $1 AND inbox_id = $2 AND event_type LIKE 'calendar.%'",
        "DELETE FROM received_codes WHERE organization_id = $1 AND inbox_id = $2",
        "DELETE FROM calendar_settings WHERE organization_id = $1 AND inbox_id = $2",
        "DELETE FROM contacts WHERE organization_id = $1 AND inbox_id = $2",
        "DELETE FROM smtp_refusals WHERE organization_id = $1 AND inbox_id = $2",
        "DELETE FROM list_entries WHERE organization_id = $1 AND scope = $2",
        "DELETE FROM inbox_usage WHERE organization_id = $1 AND inbox_id = $2",
        "UPDATE inboxes SET purged_at = now() WHERE organization_id = $1 AND inbox_id = $2",
    ] {
        Sql::new(text).uuid(inbox.organization_id).text(&inbox.inbox_id).run(connection).await?;
    }
    Ok(())
}
