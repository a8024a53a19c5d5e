//! Searching: what is pending is read, segments are asked for candidates, and candidates are read, the newest first.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use futures_util::future::try_join;
use inboxd_search::{Document, Probe, wanted};
use time::OffsetDateTime;
use tokio_postgres::{Client, Error, Statement};
use uuid::Uuid;

use crate::Inbox;

const ROW: u16 = 64;
/// How many of the newest messages are read for a needle of one or two characters, before anybody asks a segment.
const WALKED: i64 = 100;

const ITEM: &str = "m.message_id, m.thread_id, m.labels, m.timestamp, m.from_, m.to_, m.cc, m.subject, m.preview,
    m.attachments, m.size, m.created_at, m.updated_at";

pub struct Searcher {
    walk: Statement,
    pending: Statement,
    blocks: Statement,
    read: Statement,
}

/// What a search did.
#[derive(Default, Debug, Clone, Copy)]
pub struct Work {
    pub blocks: usize,
    pub candidates: usize,
    pub read: usize,
    pub rounds: usize,
}

struct Candidates {
    segment_id: Uuid,
    hidden: i16,
    /// None of those that are left is newer.
    bound: OffsetDateTime,
    left: std::iter::Peekable<std::vec::IntoIter<Document>>,
}

type Key = (OffsetDateTime, String);

impl Searcher {
    pub async fn new(client: &Client) -> Result<Self, Error> {
        let body = "SELECT FROM message_bodies b WHERE b.organization_id = $1 AND b.inbox_id = $2
            AND b.message_id = p.message_id AND strpos(b.search_text, $3) > 0 OFFSET 0";
        let walk = client
            .prepare(&format!(
                "SELECT {ITEM}, m.found FROM (
            SELECT p.*, EXISTS ({body}) AS found FROM messages p
            WHERE p.organization_id = $1 AND p.inbox_id = $2 AND p.hidden = 0
            ORDER BY p.timestamp DESC, p.message_id DESC LIMIT {WALKED}) m"
            ))
            .await?;
        let pending = client
            .prepare(&format!(
                "SELECT {ITEM} FROM unnest($4::smallint[]) AS shown(hidden)
            CROSS JOIN LATERAL (
                SELECT m.* FROM (SELECT p.* FROM search_pending p
                    WHERE p.organization_id = $1 AND p.inbox_id = $2 AND p.hidden = shown.hidden
                        AND ($6::timestamptz IS NULL OR p.timestamp < $6) AND EXISTS ({body})
                    ORDER BY p.timestamp DESC, p.message_id DESC OFFSET 0) p
                CROSS JOIN LATERAL (SELECT * FROM messages WHERE organization_id = $1 AND inbox_id = $2
                    AND message_id = p.message_id AND hidden = shown.hidden AND timestamp = p.timestamp OFFSET 0) m
                LIMIT $5) m"
            ))
            .await?;
        let blocks = client.prepare("
            SELECT s.segment_id, s.hidden, s.documents, s.newest, r.place::int4,
                width_bucket($6::timestamptz, s.fences), b.block
            FROM (SELECT * FROM search_segments s WHERE s.organization_id = $1 AND s.inbox_id = $2 AND s.hidden = ANY($3)
                AND ($6::timestamptz IS NULL OR s.oldest < $6) OFFSET 0) s
            CROSS JOIN unnest($4::int8[], $5::int8[]) WITH ORDINALITY AS r(first, last, place)
            CROSS JOIN LATERAL (
                (SELECT block FROM search_blocks WHERE organization_id = $1 AND segment_id = s.segment_id
                    AND first_gram <= r.first ORDER BY first_gram DESC LIMIT 1)
                UNION ALL
                (SELECT block FROM search_blocks WHERE organization_id = $1 AND segment_id = s.segment_id
                    AND first_gram > r.first AND first_gram <= r.last)) b").await?;
        let read = client.prepare(&format!("SELECT d.timestamp, {ITEM}
            FROM unnest($4::uuid[], $5::int4[], $6::int2[]) WITH ORDINALITY AS c(segment_id, document, hidden, place)
            CROSS JOIN LATERAL (
                SELECT timestamps[c.document % {ROW} + 1] AS timestamp, message_ids[c.document % {ROW} + 1] AS message_id
                FROM search_documents WHERE organization_id = $1 AND segment_id = c.segment_id
                    AND first_document = c.document / {ROW} * {ROW} OFFSET 0) d
            LEFT JOIN LATERAL (
                SELECT m.* FROM (
                    SELECT FROM message_bodies WHERE organization_id = $1 AND inbox_id = $2
                        AND message_id = d.message_id COLLATE \"C\" AND strpos(search_text, $3) > 0 OFFSET 0) b
                CROSS JOIN LATERAL (
                    SELECT * FROM messages WHERE organization_id = $1 AND inbox_id = $2
                        AND message_id = d.message_id COLLATE \"C\" AND hidden = c.hidden AND timestamp = d.timestamp
                    OFFSET 0) m
                OFFSET 0) m ON true
            ORDER BY c.place")).await?;
        Ok(Self { walk, pending, blocks, read })
    }

    /// The newest `limit` messages that hold the needle, strictly before a time.
    pub async fn newest(
        &self,
        client: &Client,
        inbox: &Inbox,
        needle: &str,
        limit: usize,
        before: Option<OffsetDateTime>,
    ) -> Result<(Vec<Key>, Work), Error> {
        let mut work = Work::default();
        let ranges = wanted(needle);
        let shown: &[i16] = &[0];
        let (organization_id, inbox_id) = (&inbox.organization_id, &inbox.inbox_id);
        if before.is_none() && ranges.first().is_none_or(|range| range.first != range.last) {
            let rows = client.query(&self.walk, &[organization_id, inbox_id, &needle]).await?;
            let found: Vec<Key> = rows
                .iter()
                .filter(|row| row.get::<_, bool>("found"))
                .map(|row| (row.get(3), row.get(0)))
                .take(limit)
                .collect();
            if found.len() == limit || rows.len() < WALKED as usize {
                return Ok((found, work));
            }
        }
        let firsts: Vec<i64> = ranges.iter().map(|range| range.first.number()).collect();
        let lasts: Vec<i64> = ranges.iter().map(|range| range.last.number()).collect();
        let most = limit as i64;
        // Sent together, done one after the other, on one snapshot.
        let begin = client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        let pending_values: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
            [organization_id, inbox_id, &needle, &shown, &most, &before];
        let blocks_values: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
            [organization_id, inbox_id, &shown, &firsts, &lasts, &before];
        let pending = client.query(&self.pending, &pending_values);
        let blocks = client.query(&self.blocks, &blocks_values);
        let ((), (pending, blocks)) = try_join(begin, try_join(pending, blocks)).await?;
        work.blocks = blocks.len();

        let mut found: BTreeSet<Reverse<Key>> = pending.iter().map(|row| Reverse((row.get(3), row.get(0)))).collect();
        let mut left = candidates(&ranges, &blocks, before.is_some());
        work.candidates = left.iter().map(|segment| segment.left.len()).sum();
        let mut count = limit + 14;
        loop {
            left.retain_mut(|segment| segment.left.peek().is_some());
            left.sort_unstable_by_key(|segment| Reverse(segment.bound));
            let Some(first) = left.first() else { break };
            if found.iter().nth(limit - 1).is_some_and(|last| last.0.0 > first.bound) {
                break;
            }
            let mut picked: Vec<(usize, Document)> = Vec::with_capacity(count);
            for (place, segment) in left.iter_mut().enumerate() {
                picked.extend(segment.left.by_ref().take(count - picked.len()).map(|document| (place, document)));
            }
            let segments: Vec<Uuid> = picked.iter().map(|(place, _)| left[*place].segment_id).collect();
            let documents: Vec<i32> = picked.iter().map(|(_, document)| i32::from(*document)).collect();
            let hidden: Vec<i16> = picked.iter().map(|(place, _)| left[*place].hidden).collect();
            let rows =
                client.query(&self.read, &[organization_id, inbox_id, &needle, &segments, &documents, &hidden]).await?;
            assert_eq!(rows.len(), picked.len());
            for (row, (place, _)) in rows.iter().zip(&picked) {
                let time: OffsetDateTime = row.get(0);
                left[*place].bound = time;
                if let Some(id) = row.get::<_, Option<String>>(1)
                    && before.is_none_or(|before| time < before)
                {
                    found.insert(Reverse((time, id)));
                }
            }
            work.read += picked.len();
            work.rounds += 1;
            count = (count * 2).min(1_024);
        }
        client.batch_execute("COMMIT").await?;
        Ok((found.into_iter().take(limit).map(|key| key.0).collect(), work))
    }
}

fn candidates(ranges: &[inboxd_search::GramRange], rows: &[tokio_postgres::Row], bounded: bool) -> Vec<Candidates> {
    let mut segments: HashMap<Uuid, (Probe, i16, OffsetDateTime, u16)> = HashMap::new();
    for row in rows {
        let (probe, ..) = segments.entry(row.get(0)).or_insert_with(|| {
            let documents = row.get::<_, i32>(2) as u16;
            let within = if bounded { (row.get::<_, i32>(5) as u16).saturating_mul(ROW) } else { documents };
            (Probe::new(ranges, documents), row.get(1), row.get(3), within)
        });
        probe.read(row.get::<_, i32>(4) as usize - 1, row.get(6)).unwrap();
    }
    let candidates = segments.into_iter().map(|(segment_id, (probe, hidden, newest, within))| {
        let left: Vec<Document> = probe.candidates().newest_first().filter(|document| *document < within).collect();
        Candidates { segment_id, hidden, bound: newest, left: left.into_iter().peekable() }
    });
    candidates.collect()
}
