//! Candidates of segments by their posting lists.

use std::collections::BTreeMap;

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary};
use diesel_async::AsyncPgConnection;
use inboxd_search::{Document, DocumentSet, GramRange, SegmentProbe};
use uuid::Uuid;

use super::query::{QueryError, array_index};
use super::question::SearchQuery;
use super::segments::count;
use crate::sql::Sql;

/// Candidates that are verified rather than excluded by further posting lists, shared by the segments of a query.
const MAX_UNNARROWED: usize = 512;

/// For each segment and range of grams the block in which the range begins.
const BLOCKS: &str = "
    SELECT s.place AS segment, r.place AS range, b.block
    FROM unnest($2::uuid[]) WITH ORDINALITY AS s(segment_id, place)
    CROSS JOIN unnest($3::bigint[], $4::bigint[]) WITH ORDINALITY AS r(first_gram, last_gram, place)
    CROSS JOIN LATERAL (
        SELECT block FROM search_blocks
        WHERE organization_id = $1 AND segment_id = s.segment_id AND first_gram <= r.first_gram
        ORDER BY first_gram DESC LIMIT 1) b";

/// Maximum blocks of a segment for a range of grams. A larger range is one character that nearly all messages contain.
const MAX_BLOCKS_WITHIN: usize = 64;

/// Query of blocks within the range too, for ranges of more than one gram.
const BLOCKS_WITHIN: &str = "
    UNION ALL
    SELECT s.place, r.place, b.block
    FROM unnest($2::uuid[]) WITH ORDINALITY AS s(segment_id, place)
    CROSS JOIN unnest($3::bigint[], $4::bigint[]) WITH ORDINALITY AS r(first_gram, last_gram, place)
    CROSS JOIN LATERAL (
        SELECT block FROM search_blocks
        WHERE organization_id = $1 AND segment_id = s.segment_id
            AND first_gram > r.first_gram AND first_gram <= r.last_gram
        ORDER BY first_gram LIMIT $5) b";

/// A segment and its number of messages.
pub(super) type ProbedSegment = (Uuid, Document);

/// Returns the candidates of each segment: by the leading ranges, and where these leave many, by the further ranges too.
pub(super) async fn candidates(
    connection: &mut AsyncPgConnection,
    question: &mut SearchQuery,
    segments: &[ProbedSegment],
) -> Result<Vec<DocumentSet>, QueryError> {
    let mut found = probe(connection, question, &question.ranges.leading, segments).await?;
    if !question.ranges.further.is_empty() {
        narrow(connection, question, segments, &mut found).await?;
    }
    Ok(found)
}

/// Removes candidates without the further ranges from segments with many candidates. The ranges with fewer messages there
/// lead in the next segments.
async fn narrow(
    connection: &mut AsyncPgConnection,
    question: &mut SearchQuery,
    segments: &[ProbedSegment],
    found: &mut [DocumentSet],
) -> Result<(), QueryError> {
    let share = MAX_UNNARROWED / segments.len().max(1);
    let with_segments = found.iter_mut().zip(segments.iter().copied());
    let (crowded, probed): (Vec<&mut DocumentSet>, Vec<ProbedSegment>) =
        with_segments.filter(|(documents, _)| documents.count() > share).unzip();
    if probed.is_empty() {
        return Ok(());
    }
    let narrower = probe(connection, question, &question.ranges.further, &probed).await?;
    let (mut by_leading, mut by_further) = (0, 0);
    for (documents, others) in crowded.into_iter().zip(&narrower) {
        by_leading += documents.count();
        by_further += others.count();
        documents.intersect(others);
    }
    if by_further < by_leading {
        let ranges = &mut question.ranges;
        std::mem::swap(&mut ranges.leading, &mut ranges.further);
    }
    Ok(())
}

/// Returns the messages of each segment with a gram of every range.
async fn probe(
    connection: &mut AsyncPgConnection,
    question: &SearchQuery,
    ranges: &[GramRange],
    segments: &[ProbedSegment],
) -> Result<Vec<DocumentSet>, QueryError> {
    let mut probes: Vec<SegmentProbe> =
        segments.iter().map(|(_, documents)| SegmentProbe::new(ranges, *documents)).collect();
    let are_wide = ranges.iter().any(|range| range.first != range.last);
    let text = if are_wide { format!("{BLOCKS}{BLOCKS_WITHIN}") } else { BLOCKS.to_owned() };
    let rows = Sql::new(text)
        .uuid(question.organization_id)
        .uuids(segments.iter().map(|(id, _)| *id))
        .bigs(ranges.iter().map(|range| range.first.number()))
        .bigs(ranges.iter().map(|range| range.last.number()))
        .big(count(MAX_BLOCKS_WITHIN))
        .rows::<QueriedBlockRow>(connection)
        .await?;
    let mut read: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for row in rows {
        let (segment, range) = (array_index(row.segment), array_index(row.range));
        let Some(probe) = probes.get_mut(segment) else { continue };
        if let Err(error) = probe.read_block(range, &row.block) {
            if !question.reads_damaged {
                return Err(error.into());
            }
            tracing::error!(%error, "search index broken, messages scanned");
            probe.assume_all(range);
        }
        let blocks = read.entry((segment, range)).or_default();
        *blocks += 1;
        if *blocks > MAX_BLOCKS_WITHIN {
            probe.assume_all(range);
        }
    }
    Ok(probes.into_iter().map(SegmentProbe::candidates).collect())
}

#[derive(QueryableByName)]
struct QueriedBlockRow {
    #[diesel(sql_type = BigInt)]
    segment: i64,
    #[diesel(sql_type = BigInt)]
    range: i64,
    #[diesel(sql_type = Binary)]
    block: Vec<u8>,
}
