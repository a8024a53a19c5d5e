//! Flush: unindexed messages become a segment.

use std::sync::LazyLock;

use diesel::QueryableByName;
use diesel::sql_types::{SmallInt, Text, Timestamptz};
use inboxd_core::ports::{IndexedInbox, StoreError, Tx};
use inboxd_search::{MAX_TEXT_BYTES, build};
use time::OffsetDateTime;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::index_backlog::MIN_FLUSH_MESSAGES;
use super::index_work::{IndexWork, begin, broken};
use super::segments::{self, SegmentMember, SegmentWriter};
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

/// Maximum messages of a new segment: it is built within some tens of milliseconds. The statement has the number itself,
/// so that the planner knows it.
const MAX_MESSAGES: usize = 512;

/// First combination of hiding labels with enough unindexed messages.
const WAITING: &str = "
    SELECT h.hidden::smallint AS hidden FROM generate_series(0, 31) AS h(hidden)
    WHERE (SELECT count(*) FROM (
        SELECT FROM search_pending
        WHERE organization_id = $1 AND inbox_id = $2 AND hidden = h.hidden LIMIT $3) few) >= $3
    LIMIT 1";

/// Deletes the oldest unindexed entries up to so many bytes of text, and returns their messages. A deleted, redacted or
/// relabelled message is left out, because the unit of work of that change handled it. The columns of other filters are
/// returned beside the searched text.
///
/// The index has the order of hours only, so whole hours are read and sorted (`WITH TIES`). The oldest entries have all
/// columns of their key, so that each join finds its rows by the whole key.
static TAKE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "
    WITH oldest AS (
        SELECT * FROM (
            SELECT * FROM search_pending WHERE organization_id = $1 AND inbox_id = $2 AND hidden = $3
            ORDER BY hour FETCH FIRST {MAX_MESSAGES} ROWS WITH TIES) hours
        ORDER BY hour, timestamp, message_id LIMIT {MAX_MESSAGES}
    ), measured AS (
        SELECT o.*, sum(coalesce(octet_length(b.search_text), 0)) OVER walk - coalesce(octet_length(b.search_text), 0)
            AS bytes_before
        FROM oldest o LEFT JOIN message_bodies b
            ON b.organization_id = o.organization_id AND b.inbox_id = o.inbox_id AND b.message_id = o.message_id
        WINDOW walk AS (ORDER BY o.timestamp, o.message_id ROWS UNBOUNDED PRECEDING)
    ), taken AS (
        DELETE FROM search_pending p USING measured m
        WHERE p.organization_id = m.organization_id AND p.inbox_id = m.inbox_id AND p.hidden = m.hidden
            AND p.hour = m.hour AND p.pending_id = m.pending_id AND m.bytes_before < $4
        RETURNING p.organization_id, p.inbox_id, p.hidden, p.timestamp, p.message_id
    )
    SELECT t.timestamp, t.message_id,
        concat_ws(E'\\n', b.search_text, b.folded_from, array_to_string(b.folded_to, E'\\n'), b.folded_subject) AS text
    FROM (SELECT DISTINCT * FROM taken) t
    JOIN messages m ON m.organization_id = t.organization_id AND m.inbox_id = t.inbox_id AND m.message_id = t.message_id
        AND m.hidden = t.hidden AND m.timestamp = t.timestamp AND m.redacted_at IS NULL
    JOIN message_bodies b
        ON b.organization_id = t.organization_id AND b.inbox_id = t.inbox_id AND b.message_id = t.message_id
    ORDER BY t.timestamp, t.message_id"
    )
});

#[derive(QueryableByName)]
struct HiddenRow {
    #[diesel(sql_type = SmallInt)]
    hidden: i16,
}

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = Timestamptz)]
    timestamp: OffsetDateTime,
    #[diesel(sql_type = Text)]
    message_id: String,
    #[diesel(sql_type = Text)]
    text: String,
}

/// Builds a segment of unindexed messages, if there are enough. Returns whether more may follow.
pub(super) async fn flush(store: &PgStore, inbox: &IndexedInbox, segment_id: Uuid) -> Result<bool, StoreError> {
    let Some(mut tx) = begin(store, inbox, IndexWork::Flush).await? else { return Ok(false) };
    let Some(hidden) = waiting(&mut tx, inbox).await? else { return Ok(false) };
    let (members, texts): (Vec<SegmentMember>, Vec<String>) = take(&mut tx, inbox, hidden).await?.into_iter().unzip();
    if !members.is_empty() {
        let built = spawn_blocking(move || build(texts.iter().map(String::as_str))).await;
        let blocks = built.map_err(|error| StoreError::Failed(error.to_string()))?.map_err(broken)?;
        let mut segment = SegmentWriter::new(inbox, hidden, segment_id);
        segment.write_blocks(tx.connection().await?, &blocks).await?;
        segment.finish(tx.connection().await?, &members).await?;
    }
    Box::new(tx).commit().await?;
    Ok(true)
}

async fn waiting(tx: &mut PgTx, inbox: &IndexedInbox) -> Result<Option<i16>, StoreError> {
    let row = Sql::new(WAITING)
        .uuid(inbox.organization_id.0)
        .text(inbox.inbox_id.as_str())
        .big(segments::count(MIN_FLUSH_MESSAGES))
        .row::<HiddenRow>(tx.connection().await?)
        .await?;
    Ok(row.map(|row| row.hidden))
}

async fn take(tx: &mut PgTx, inbox: &IndexedInbox, hidden: i16) -> Result<Vec<(SegmentMember, String)>, StoreError> {
    let rows = Sql::new(TAKE.as_str())
        .uuid(inbox.organization_id.0)
        .text(inbox.inbox_id.as_str())
        .small(hidden)
        .big(segments::count(MAX_TEXT_BYTES))
        .rows::<TextRow>(tx.connection().await?)
        .await?;
    let member = |row: TextRow| (SegmentMember { timestamp: row.timestamp, message_id: row.message_id }, row.text);
    Ok(rows.into_iter().map(member).collect())
}
