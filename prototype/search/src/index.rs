//! Putting pending messages into segments, and merging segments: both in one unit of work each.

use std::time::{Duration, Instant};

use inboxd_search::{Block, Document, Input, SegmentSize, build, merge, to_merge};
use time::OffsetDateTime;
use tokio::task::block_in_place;
use tokio_postgres::{Client, Error, Transaction};
use uuid::Uuid;

use crate::Inbox;

/// How many messages are put into a segment at once.
const MOST_FLUSHED: i64 = 2_048;
/// A row of `search_documents` has so many messages.
const ROW: usize = 64;

/// Waiting for a commit to reach the disk is of no use here: lost, the messages are pending again.
const BEGIN: &str = "SET LOCAL synchronous_commit = off";
const CLAIM: &str = "SELECT pg_try_advisory_xact_lock(hashtextextended($1::text, $2))";
/// Flushing and merging keep out their like only: a flush adds a segment, a merge takes those that are there.
const FLUSH: i64 = 7;
const MERGE: i64 = 8;

/// The rows are taken from the table first, then their texts are read. A message that is no longer there, or has other
/// hiding labels by now, is left out: the unit of work that changed it has seen to it.
const TAKE: &str = "
    WITH taken AS (
        DELETE FROM search_pending WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM search_pending WHERE organization_id = $1 AND inbox_id = $2 AND hidden = $3
            ORDER BY timestamp, message_id LIMIT $4))
        RETURNING timestamp, message_id
    )
    SELECT t.timestamp, t.message_id, b.search_text
    FROM (SELECT DISTINCT timestamp, message_id FROM taken ORDER BY timestamp, message_id) t
    CROSS JOIN LATERAL (SELECT FROM messages WHERE organization_id = $1 AND inbox_id = $2 AND message_id = t.message_id
        AND hidden = $3 AND timestamp = t.timestamp OFFSET 0) m
    CROSS JOIN LATERAL (SELECT search_text FROM message_bodies
        WHERE organization_id = $1 AND inbox_id = $2 AND message_id = t.message_id OFFSET 0) b";

/// Where the time goes.
#[derive(Default, Clone, Copy, Debug)]
pub struct Spent {
    pub read: Duration,
    pub build: Duration,
    pub write: Duration,
    pub merge_read: Duration,
    pub merge: Duration,
    pub merge_write: Duration,
    pub merged: usize,
    pub longest: Duration,
}

async fn claim(tx: &Transaction<'_>, inbox: &Inbox, what: i64) -> Result<bool, Error> {
    tx.batch_execute(BEGIN).await?;
    let statement = tx.prepare(CLAIM).await?;
    Ok(tx.query_one(&statement, &[&inbox.inbox_id, &what]).await?.get(0))
}

/// Puts pending messages into a segment; answers how many.
pub async fn flush(client: &mut Client, inbox: &Inbox, hidden: i16, spent: &mut Spent) -> Result<usize, Error> {
    let began = Instant::now();
    let tx = client.transaction().await?;
    if !claim(&tx, inbox, FLUSH).await? {
        return Ok(0);
    }
    let rows = tx.query(TAKE, &[&inbox.organization_id, &inbox.inbox_id, &hidden, &MOST_FLUSHED]).await?;
    let read = Instant::now();
    if !rows.is_empty() {
        let blocks = block_in_place(|| build(rows.iter().map(|row| row.get::<_, &str>(2)))).unwrap();
        let built = Instant::now();
        let documents: Vec<(OffsetDateTime, &str)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        write(&tx, inbox, hidden, &documents, &blocks).await?;
        spent.build += built - read;
        spent.write += built.elapsed();
    }
    tx.commit().await?;
    spent.read += read - began;
    spent.longest = spent.longest.max(began.elapsed());
    Ok(rows.len())
}

async fn write(
    tx: &Transaction<'_>,
    inbox: &Inbox,
    hidden: i16,
    documents: &[(OffsetDateTime, &str)],
    blocks: &[Block],
) -> Result<(), Error> {
    let segment_id = Uuid::now_v7();
    let fences: Vec<OffsetDateTime> = documents.chunks(ROW).map(|row| row[0].0).collect();
    let octets: usize = blocks.iter().map(|block| block.octets.len()).sum();
    let statement = tx.prepare("INSERT INTO search_segments VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)").await?;
    tx.execute(
        &statement,
        &[
            &inbox.organization_id,
            &inbox.inbox_id,
            &hidden,
            &segment_id,
            &(documents.len() as i32),
            &(octets as i64),
            &documents[0].0,
            &documents[documents.len() - 1].0,
            &fences,
        ],
    )
    .await?;
    let statement = tx.prepare("INSERT INTO search_documents VALUES ($1, $2, $3, $4, $5)").await?;
    for (place, row) in documents.chunks(ROW).enumerate() {
        let times: Vec<OffsetDateTime> = row.iter().map(|one| one.0).collect();
        let ids: Vec<&str> = row.iter().map(|one| one.1).collect();
        tx.execute(&statement, &[&inbox.organization_id, &segment_id, &((place * ROW) as i32), &times, &ids]).await?;
    }
    let statement =
        tx.prepare("INSERT INTO search_blocks SELECT $1, $2, unnest($3::bigint[]), unnest($4::bytea[])").await?;
    for some in blocks.chunks(256) {
        let grams: Vec<i64> = some.iter().map(|block| block.first_gram.number()).collect();
        let octets: Vec<&[u8]> = some.iter().map(|block| block.octets.as_slice()).collect();
        tx.execute(&statement, &[&inbox.organization_id, &segment_id, &grams, &octets]).await?;
    }
    Ok(())
}

/// Merges segments if it is time to; answers whether it was.
pub async fn merge_some(client: &mut Client, inbox: &Inbox, hidden: i16, spent: &mut Spent) -> Result<bool, Error> {
    let began = Instant::now();
    let tx = client.transaction().await?;
    if !claim(&tx, inbox, MERGE).await? {
        return Ok(false);
    }
    let statement = tx
        .prepare(
            "SELECT segment_id, documents, octets FROM search_segments
        WHERE organization_id = $1 AND inbox_id = $2 AND hidden = $3 ORDER BY newest, segment_id",
        )
        .await?;
    let segments = tx.query(&statement, &[&inbox.organization_id, &inbox.inbox_id, &hidden]).await?;
    let sizes: Vec<SegmentSize> = segments
        .iter()
        .map(|row| SegmentSize { documents: row.get::<_, i32>(1) as u32, octets: row.get::<_, i64>(2) as u64 })
        .collect();
    let Some(range) = to_merge(&sizes) else { return Ok(false) };
    let ids: Vec<Uuid> = segments[range].iter().map(|row| row.get(0)).collect();

    // Those that are still there, in the order of their times.
    let statement = tx.prepare("SELECT d.segment, d.first_document + e.place - 1, e.timestamp, e.message_id
        FROM unnest($3::uuid[]) WITH ORDINALITY AS s(segment_id, segment)
        CROSS JOIN LATERAL (SELECT s.segment, * FROM search_documents
            WHERE organization_id = $1 AND segment_id = s.segment_id OFFSET 0) d
        CROSS JOIN LATERAL unnest(d.timestamps, d.message_ids) WITH ORDINALITY AS e(timestamp, message_id, place)
        CROSS JOIN LATERAL (SELECT FROM messages WHERE organization_id = $1 AND inbox_id = $2 AND message_id = e.message_id
            AND hidden = $4 AND timestamp = e.timestamp OFFSET 0) m
        ORDER BY e.timestamp, e.message_id COLLATE \"C\"").await?;
    let rows = tx.query(&statement, &[&inbox.organization_id, &inbox.inbox_id, &ids, &hidden]).await?;
    let mut documents: Vec<(OffsetDateTime, &str)> = Vec::new();
    let mut places: Vec<Vec<Option<Document>>> = vec![vec![None; 30_000]; ids.len()];
    for row in &rows {
        let document = (row.get(2), row.get(3));
        if documents.last() != Some(&document) {
            documents.push(document);
        }
        let segment = row.get::<_, i64>(0) as usize - 1;
        places[segment][row.get::<_, i64>(1) as usize] = Some((documents.len() - 1) as Document);
    }
    let statement = tx
        .prepare(
            "DELETE FROM search_blocks WHERE organization_id = $1 AND segment_id = $2
        RETURNING first_gram, block",
        )
        .await?;
    let mut blocks: Vec<Vec<Block>> = Vec::new();
    for id in &ids {
        let rows = tx.query(&statement, &[&inbox.organization_id, id]).await?;
        let mut of_segment: Vec<Block> = rows.iter().map(|row| Block::stored(row.get(0), row.get(1))).collect();
        of_segment.sort_unstable_by_key(|block| block.first_gram);
        blocks.push(of_segment);
    }
    let read = Instant::now();
    let inputs: Vec<Input<'_>> = blocks.iter().zip(&places).map(|(blocks, places)| Input { blocks, places }).collect();
    let merged = block_in_place(|| merge(&inputs)).unwrap();
    let done = Instant::now();
    for table in ["search_documents", "search_segments"] {
        let text = format!("DELETE FROM {table} WHERE organization_id = $1 AND segment_id = ANY($2)");
        tx.execute(&text, &[&inbox.organization_id, &ids]).await?;
    }
    if !documents.is_empty() {
        write(&tx, inbox, hidden, &documents, &merged).await?;
    }
    tx.commit().await?;
    spent.merge_read += read - began;
    spent.merge += done - read;
    spent.merge_write += done.elapsed();
    spent.merged += documents.len();
    spent.longest = spent.longest.max(began.elapsed());
    Ok(true)
}

/// Removes what is deleted from the pages, once that is a fifth: a search of what is pending would pass over all of it, and
/// merged segments would leave their room unused. The database's own cleaning comes by once a minute.
pub async fn tidy(client: &Client) -> Result<(), Error> {
    let tables = "SELECT relname FROM pg_stat_user_tables
        WHERE relname IN ('search_pending', 'search_blocks', 'search_documents', 'search_segments')
            AND n_dead_tup > 2000 + n_live_tup / 5";
    for row in client.query(tables, &[]).await? {
        client.batch_execute(&format!("VACUUM (TRUNCATE false) {}", row.get::<_, &str>(0))).await?;
    }
    Ok(())
}
