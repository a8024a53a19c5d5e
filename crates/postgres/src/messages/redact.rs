//! Redaction of a message with all dependent rows.

use diesel::sql_types::{Jsonb, Nullable};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::MessageItem;
use inboxd_core::ports::StoreError;
use uuid::Uuid;

use super::body::redacted_body;
use crate::error::expect_rows;
use crate::json::to_json;
use crate::scalar_rows::CountRow;
use crate::sql::Sql;
use crate::usage::{from_count, to_count};

/// The empty search columns match no text. Segments of the search index drop the message with their next rewrite. The
/// digest stays, so that a repeat of the received mail is still recognized. An object goes without its retention,
/// and so do previous objects of the content, which moves have left.
const REDACT: &str = "
    WITH item AS (
        UPDATE messages SET subject = $4, preview = $5, attachments = $6, size = $7, trust = $8, redacted_at = $9,
            updated_at = $10
        WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3
        RETURNING 1
    ), body AS (
        UPDATE message_bodies SET body = $11, large_raw = NULL, blob_id = NULL, body_bytes = $12, spam = NULL,
            extracted = NULL, search_text = '', folded_from = '', folded_to = '{}', folded_subject = '', attachment_texts = NULL,
            attachments_due_at = NULL
        WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3
    ), released AS (
        DELETE FROM blobs x USING message_bodies b
        WHERE b.organization_id = $1 AND b.inbox_id = $2 AND b.message_id = $3
            AND x.organization_id = $1 AND x.blob_id = b.blob_id
        RETURNING x.organization_id, x.blob_id, x.name, x.store, x.bytes, x.sha256, x.stored_at
    ), removal AS (
        INSERT INTO blob_removals (organization_id, blob_id, name, store, bytes, sha256, stored_at, removed_at)
        SELECT organization_id, blob_id, name, store, bytes, sha256, stored_at, to_timestamp(0) FROM released
    ), moved AS (
        UPDATE blob_removals r SET removed_at = to_timestamp(0) FROM released x
        WHERE r.organization_id = $1 AND r.sha256 = x.sha256
    ), calendar AS (
        DELETE FROM calendar_events WHERE organization_id = $1 AND inbox_id = $2 AND origin_message_id = $3
    ), notices AS (
        UPDATE events SET body = body - '{event,previous}'::text[]
        WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3 AND event_type LIKE 'calendar.%'
    ), copies AS (
        DELETE FROM captured WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3
    ), responses AS (
        UPDATE webhook_attempts a SET response_body = NULL
        FROM events e
        WHERE e.organization_id = $1 AND e.inbox_id = $2 AND e.message_id = $3
            AND a.organization_id = e.organization_id AND a.event_id = e.event_id AND a.response_body IS NOT NULL
    )
    SELECT count(*) AS count FROM item";

/// Deletes the calendar events of messages that the statement before did not see: it may have waited for a change of the
/// calendar that was not in its snapshot. The rows that it deleted stay locked, so none can follow.
const LATE_CALENDAR: &str = "
    WITH late AS (
        DELETE FROM calendar_events WHERE organization_id = $1 AND inbox_id = $2 AND origin_message_id = ANY($3)
    )
    UPDATE events SET body = body - '{event,previous}'::text[]
    WHERE organization_id = $1 AND inbox_id = $2 AND message_id = ANY($3) AND event_type LIKE 'calendar.%'
        AND body ?| '{event,previous}'::text[]";

/// Removes what a concurrent change of the calendar left of redacted or deleted messages.
pub(super) async fn clear_late_calendar(
    connection: &mut AsyncPgConnection,
    organization_id: Uuid,
    inbox_id: &str,
    message_ids: &[&str],
) -> Result<(), StoreError> {
    let statement = Sql::new(LATE_CALENDAR).uuid(organization_id).text(inbox_id).texts(message_ids.iter().copied());
    statement.run(connection).await.map(drop)
}

/// Stores the redacted form of a message.
pub(super) async fn redact_message(
    connection: &mut AsyncPgConnection,
    message: &MessageItem,
    headers: &[(String, String)],
) -> Result<(), StoreError> {
    let stored = redacted_body(headers)?;
    let row = Sql::new(REDACT)
        .uuid(message.organization_id.0)
        .text(message.inbox_id.as_str())
        .text(message.message_id.as_str())
        .optional_text(message.subject.as_deref())
        .optional_text(message.preview.as_deref())
        .json(to_json(&message.attachments)?)
        .big(from_count(message.size))
        .bind::<Nullable<Jsonb>, _>(message.trust.as_ref().map(to_json).transpose()?)
        .optional_time(message.redacted_at)
        .time(message.updated_at)
        .bytes(&stored.body)
        .big(stored.body_bytes)
        .row::<CountRow>(connection)
        .await?;
    expect_rows(row.map_or(0, |row| usize::try_from(to_count(row.count)).unwrap_or(usize::MAX)), 1)?;
    let MessageItem { organization_id, inbox_id, message_id, .. } = message;
    clear_late_calendar(connection, organization_id.0, inbox_id.as_str(), &[message_id.as_str()]).await
}
