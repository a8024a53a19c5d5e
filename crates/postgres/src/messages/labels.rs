//! Labels of messages: those of many in a few statements.

use diesel::QueryableByName;
use diesel::sql_types::{Array, Jsonb, Text, Timestamptz};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{Hidden, InboxId, Labels, MessageItem, OrganizationId, ThreadId};
use inboxd_core::ports::StoreError;

use super::rows::IN_THREAD;
use crate::error::expect_rows;
use crate::sql::Sql;
use crate::text::to_json;

/// How many messages a statement changes.
const BATCH: usize = 500;

/// The labels' rows are keyed by what is shown of the message, so that those whose key stays are left alone: within one
/// statement a key cannot be deleted and inserted again. Rows are found and taken as in `delete.rs`.
const UPDATE: &str = "
    WITH changed AS MATERIALIZED (
        SELECT m.place, m.message_id, m.timestamp, m.labels AS old_labels, m.hidden AS old_hidden,
            ARRAY(SELECT jsonb_array_elements_text(n.labels)) AS labels, n.hidden, n.updated_at
        FROM unnest($3::text[], $4::jsonb[], $5::smallint[], $6::timestamptz[]) AS n(message_id, labels, hidden, updated_at)
        CROSS JOIN LATERAL (
            SELECT ctid AS place, message_id, timestamp, labels, hidden FROM messages
            WHERE organization_id = $1 AND inbox_id = $2 AND message_id = n.message_id OFFSET 0) m
    ), gone AS (
        DELETE FROM message_labels WHERE ctid = ANY(ARRAY(
            SELECT l.ctid
            FROM changed c CROSS JOIN LATERAL unnest(c.old_labels) AS was(label) CROSS JOIN LATERAL (
                SELECT ctid FROM message_labels
                WHERE organization_id = $1 AND inbox_id = $2 AND label = was.label AND hidden = c.old_hidden
                    AND timestamp = c.timestamp AND message_id = c.message_id
                OFFSET 0) l
            WHERE NOT (c.old_hidden = c.hidden AND was.label = ANY(c.labels))))
    ), come AS (
        INSERT INTO message_labels (organization_id, inbox_id, label, hidden, timestamp, message_id)
        SELECT $1, $2, becomes.label, c.hidden, c.timestamp, c.message_id
        FROM changed c CROSS JOIN LATERAL unnest(c.labels) AS becomes(label)
        WHERE NOT (c.old_hidden = c.hidden AND becomes.label = ANY(c.old_labels))
    ), pending AS (
        INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
        SELECT $1, $2, c.hidden, c.timestamp, c.message_id FROM changed c WHERE c.hidden <> c.old_hidden
    )
    UPDATE messages m SET labels = c.labels, hidden = c.hidden, updated_at = c.updated_at
    FROM changed c WHERE m.ctid = c.place";

#[derive(QueryableByName)]
struct LabelRow {
    #[diesel(sql_type = Text)]
    label: String,
}

/// The labels of a thread's messages together.
pub(super) async fn of_thread(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    thread_id: ThreadId,
) -> Result<Labels, StoreError> {
    let text = format!(
        "SELECT DISTINCT label FROM messages m CROSS JOIN LATERAL unnest(m.labels) AS l(label)
        WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.thread_id = $3 AND {IN_THREAD}"
    );
    let rows = Sql::new(text)
        .uuid(organization_id.0)
        .text(inbox_id.as_str())
        .uuid(thread_id.0)
        .rows::<LabelRow>(connection)
        .await?;
    Ok(rows.into_iter().map(|row| row.label).collect())
}

/// Stores the labels of messages of one inbox and their times of change.
pub(super) async fn update(connection: &mut AsyncPgConnection, messages: &[MessageItem]) -> Result<(), StoreError> {
    for batch in messages.chunks(BATCH) {
        let Some(MessageItem { organization_id, inbox_id, .. }) = batch.first() else { continue };
        let labels = batch.iter().map(|message| to_json(&message.labels)).collect::<Result<Vec<_>, _>>()?;
        let written = Sql::new(UPDATE)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .texts(batch.iter().map(|message| message.message_id.as_str()))
            .bind::<Array<Jsonb>, _>(labels)
            .smalls(batch.iter().map(|message| Hidden::of(&message.labels).bits()))
            .bind::<Array<Timestamptz>, _>(batch.iter().map(|message| message.updated_at).collect::<Vec<_>>())
            .run(connection)
            .await?;
        expect_rows(written, batch.len())?;
    }
    Ok(())
}
