//! Merge: several segments become one.

use std::time::Instant;

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Integer, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::ports::{IndexedInbox, StoreError, Tx};
use inboxd_search::{Block, Document, SegmentMerge, SegmentSize, select_merge};
use time::OffsetDateTime;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use uuid::Uuid;

use super::index_work::{IndexWork, begin, broken};
use super::segments::{ROW, SegmentMember, SegmentWriter};
use super::unlisted::{self, MAX_REST};
use crate::error::expect_rows;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

/// Blocks of a segment per read.
const BLOCKS_PER_READ: i64 = 64;

const SEGMENTS: &str = "
    SELECT hidden, segment_id, documents, octets FROM search_segments
    WHERE organization_id = $1 AND inbox_id = $2 ORDER BY hidden, newest, segment_id";

/// A single segment, if more than half of the messages in one of its rows are deleted or redacted.
///
/// A message has at most one row of its id. `LIMIT 1` asks for it by its whole key; a join may read the inbox for each of
/// them instead.
const WORN: &str = "
    SELECT s.hidden, s.segment_id, s.documents, s.octets FROM (
        SELECT *, (floor(random() * cardinality(fences)) * $3)::integer AS sampled FROM search_segments
        WHERE organization_id = $1 AND inbox_id = $2 ORDER BY random() LIMIT 1) s
    JOIN search_documents d ON d.organization_id = s.organization_id AND d.segment_id = s.segment_id
        AND d.first_document = s.sampled
    WHERE cardinality(d.message_ids) > 2 * (
        SELECT count(*) FROM unnest(d.timestamps, d.message_ids) AS e(timestamp, message_id)
        CROSS JOIN LATERAL (
            SELECT FROM messages WHERE organization_id = $1 AND inbox_id = $2 AND message_id = e.message_id
                AND hidden = s.hidden AND timestamp = e.timestamp AND redacted_at IS NULL LIMIT 1) m)";

/// Remaining messages in the order of their times. The entries have all columns of the key of a message, so that the
/// join finds each by its whole key.
const MEMBERS: &str = "
    WITH entries AS MATERIALIZED (
        SELECT d.organization_id, $2::text AS inbox_id, s.segment::integer AS segment,
            (d.first_document + e.place - 1)::integer AS document, e.timestamp, e.message_id
        FROM unnest($3::uuid[]) WITH ORDINALITY AS s(segment_id, segment)
        JOIN search_documents d ON d.organization_id = $1 AND d.segment_id = s.segment_id
        CROSS JOIN LATERAL unnest(d.timestamps, d.message_ids) WITH ORDINALITY AS e(timestamp, message_id, place)
    )
    SELECT e.segment, e.document, e.timestamp, e.message_id
    FROM entries e JOIN messages m ON m.organization_id = e.organization_id AND m.inbox_id = e.inbox_id
        AND m.message_id = e.message_id AND m.hidden = $4 AND m.timestamp = e.timestamp AND m.redacted_at IS NULL
    ORDER BY e.timestamp, e.message_id";

/// Reads the next blocks of a segment behind a gram. Blocks never change.
const READ: &str = "
    SELECT first_gram, block FROM search_blocks WHERE organization_id = $1 AND segment_id = $2 AND first_gram > $3
    ORDER BY first_gram LIMIT $4";

/// Removes segments from the index, which must all still exist.
const FORGET: &str = "
    WITH documents AS (
        DELETE FROM search_documents WHERE organization_id = $1 AND segment_id = ANY($4)
    )
    DELETE FROM search_segments WHERE organization_id = $1 AND inbox_id = $2 AND hidden = $3 AND segment_id = ANY($4)";

#[derive(QueryableByName)]
struct MergedSegmentRow {
    #[diesel(sql_type = SmallInt)]
    hidden: i16,
    #[diesel(sql_type = SqlUuid)]
    segment_id: Uuid,
    #[diesel(sql_type = Integer)]
    documents: i32,
    #[diesel(sql_type = BigInt)]
    octets: i64,
}

#[derive(QueryableByName)]
struct MergedMemberRow {
    #[diesel(sql_type = Integer)]
    segment: i32,
    #[diesel(sql_type = Integer)]
    document: i32,
    #[diesel(sql_type = Timestamptz)]
    timestamp: OffsetDateTime,
    #[diesel(sql_type = Text)]
    message_id: String,
}

#[derive(QueryableByName)]
struct MergedBlockRow {
    #[diesel(sql_type = BigInt)]
    first_gram: i64,
    #[diesel(sql_type = Binary)]
    block: Vec<u8>,
}

/// Merges segments of an inbox if due, or rewrites one with many deleted messages. Returns whether it did.
///
/// Each step is a transaction of its own, and none is open during the rest between two steps: a long transaction
/// prevents the removal of dead rows in all tables. Searches use the old segments until the last step; their blocks are
/// deleted afterwards.
pub(super) async fn merge(
    store: &PgStore,
    inbox: &IndexedInbox,
    segment_id: Uuid,
    rest: u32,
) -> Result<bool, StoreError> {
    let Some(mut tx) = begin(store, inbox, IndexWork::Merge).await? else { return Ok(false) };
    if unlisted::is_leased(&mut tx, inbox).await? {
        return Ok(false);
    }
    let left = unlisted::lease_expired(&mut tx, inbox).await?;
    if !left.is_empty() {
        Box::new(tx).commit().await?;
        return unlisted::remove(store, inbox, &left, rest).await;
    }
    let Some(chosen) = choose(&mut tx, inbox).await? else { return Ok(false) };
    let (members, places) = members(&mut tx, inbox, &chosen).await?;
    unlisted::add(&mut tx, inbox, &[segment_id]).await?;
    Box::new(tx).commit().await?;

    let mut segment = SegmentWriter::new(inbox, chosen.hidden, segment_id);
    let mut sources: Vec<BlockSource<'_>> =
        chosen.segments.iter().map(|old| BlockSource::new(inbox, old.segment_id)).collect();
    let mut merge = SegmentMerge::new(places);
    while !merge.is_finished() {
        let began = Instant::now();
        let Some(mut tx) = unlisted::resume(store, inbox, &[segment_id]).await? else { return Ok(false) };
        while let Some(lacking) = merge.missing_input() {
            let Some(source) = sources.get_mut(lacking) else { break };
            merge.add_blocks(lacking, source.take(tx.connection().await?).await?).map_err(broken)?;
        }
        let advanced = spawn_blocking(move || merge.advance().map(|blocks| (merge, blocks))).await;
        let (returned, blocks) = advanced.map_err(|error| StoreError::Failed(error.to_string()))?.map_err(broken)?;
        merge = returned;
        segment.write_blocks(tx.connection().await?, &blocks).await?;
        Box::new(tx).commit().await?;
        sleep((began.elapsed() * rest).min(MAX_REST)).await;
    }
    let Some(mut tx) = unlisted::resume(store, inbox, &[segment_id]).await? else { return Ok(false) };
    let replaced: Vec<Uuid> = chosen.segments.iter().map(|old| old.segment_id).collect();
    forget(&mut tx, inbox, chosen.hidden, &replaced).await?;
    segment.finish(tx.connection().await?, &members).await?;
    unlisted::end(&mut tx, inbox, &[segment_id]).await?;
    unlisted::add(&mut tx, inbox, &replaced).await?;
    Box::new(tx).commit().await?;
    unlisted::remove(store, inbox, &replaced, rest).await
}

/// Segments of the same hiding labels to merge.
struct MergeInput {
    hidden: i16,
    segments: Vec<MergedSegmentRow>,
}

async fn choose(tx: &mut PgTx, inbox: &IndexedInbox) -> Result<Option<MergeInput>, StoreError> {
    let mut rows = Sql::new(SEGMENTS)
        .uuid(inbox.organization_id.0)
        .text(inbox.inbox_id.as_str())
        .rows::<MergedSegmentRow>(tx.connection().await?)
        .await?;
    let mut first = 0;
    for alike in rows.chunk_by(|one, other| one.hidden == other.hidden) {
        let sizes: Vec<SegmentSize> = alike.iter().map(MergedSegmentRow::size).collect();
        if let (Some(range), Some(row)) = (select_merge(&sizes), alike.first()) {
            let hidden = row.hidden;
            return Ok(Some(MergeInput {
                hidden,
                segments: rows.drain(first + range.start..first + range.end).collect(),
            }));
        }
        first += alike.len();
    }
    let worn = Sql::new(WORN)
        .uuid(inbox.organization_id.0)
        .text(inbox.inbox_id.as_str())
        .big(i64::from(ROW))
        .row::<MergedSegmentRow>(tx.connection().await?)
        .await?;
    Ok(worn.map(|row| MergeInput { hidden: row.hidden, segments: vec![row] }))
}

impl MergedSegmentRow {
    fn size(&self) -> SegmentSize {
        SegmentSize { documents: self.documents.unsigned_abs(), bytes: self.octets.unsigned_abs() }
    }
}

/// Returns the messages of the new segment, and the new position of each old document.
async fn members(
    tx: &mut PgTx,
    inbox: &IndexedInbox,
    chosen: &MergeInput,
) -> Result<(Vec<SegmentMember>, Vec<Vec<Option<Document>>>), StoreError> {
    let rows = Sql::new(MEMBERS)
        .uuid(inbox.organization_id.0)
        .text(inbox.inbox_id.as_str())
        .uuids(chosen.segments.iter().map(|old| old.segment_id))
        .small(chosen.hidden)
        .rows::<MergedMemberRow>(tx.connection().await?)
        .await?;
    let mut members: Vec<SegmentMember> = Vec::with_capacity(rows.len());
    let mut places: Vec<Vec<Option<Document>>> =
        chosen.segments.iter().map(|old| vec![None; usize::try_from(old.documents).unwrap_or_default()]).collect();
    for row in rows {
        let member = SegmentMember { timestamp: row.timestamp, message_id: row.message_id };
        // Several segments may have the same message.
        if members.last() != Some(&member) {
            members.push(member);
        }
        let old = usize::try_from(row.segment - 1).ok().and_then(|segment| places.get_mut(segment));
        let place = usize::try_from(row.document).ok().and_then(|document| old?.get_mut(document));
        if let Some(place) = place {
            *place = Document::try_from(members.len() - 1).ok();
        }
    }
    Ok((members, places))
}

/// A segment whose blocks are read in order.
struct BlockSource<'a> {
    inbox: &'a IndexedInbox,
    segment_id: Uuid,
    /// Gram of the last read block.
    last_gram: i64,
}

impl<'a> BlockSource<'a> {
    fn new(inbox: &'a IndexedInbox, segment_id: Uuid) -> Self {
        Self { inbox, segment_id, last_gram: -1 }
    }

    /// Returns the next blocks; none at the end.
    async fn take(&mut self, connection: &mut AsyncPgConnection) -> Result<Vec<Block>, StoreError> {
        let mut rows = Sql::new(READ)
            .uuid(self.inbox.organization_id.0)
            .uuid(self.segment_id)
            .big(self.last_gram)
            .big(BLOCKS_PER_READ)
            .rows::<MergedBlockRow>(connection)
            .await?;
        rows.sort_unstable_by_key(|row| row.first_gram);
        self.last_gram = rows.last().map_or(self.last_gram, |row| row.first_gram);
        Ok(rows.into_iter().map(|row| Block::from_stored(row.first_gram, row.block)).collect())
    }
}

async fn forget(tx: &mut PgTx, inbox: &IndexedInbox, hidden: i16, segments: &[Uuid]) -> Result<(), StoreError> {
    let forgotten = Sql::new(FORGET)
        .uuid(inbox.organization_id.0)
        .text(inbox.inbox_id.as_str())
        .small(hidden)
        .uuids(segments.iter().copied())
        .run(tx.connection().await?)
        .await?;
    expect_rows(forgotten, segments.len())
}
