//! Index query: candidate messages of some inboxes for given texts.

use std::cmp::Reverse;
use std::sync::Arc;

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Integer, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::page::Direction;
use inboxd_core::ports::StoreError;
use inboxd_search::{Document, MAX_DOCUMENTS, SearchError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::postings::{self, ProbedSegment};
pub(crate) use super::question::{SearchQuery, ranges};
use super::segments::{ROW, SegmentMember};
use crate::sql::Sql;

/// Segments that are queried before the need for more is known.
const INITIAL_SEGMENTS: usize = 8;
/// Minimum candidates of a segment per read of several inboxes.
const MIN_SHARE: usize = 4;
/// Maximum segments per query: their blocks take 8 MB.
const MAX_SEGMENTS: usize = 256;

const SEGMENTS: &str = "
    SELECT inbox_id, segment_id, hidden, documents, oldest, newest,
        CASE WHEN $4 IS NOT NULL THEN width_bucket($4, fences) END AS rows_from_oldest,
        CASE WHEN $5 IS NOT NULL THEN width_bucket($5 - interval '1 microsecond', fences) END AS rows_left_out
    FROM search_segments
    WHERE organization_id = $1 AND inbox_id = ANY($2) AND hidden = ANY($3)
        AND ($4 IS NULL OR oldest <= $4) AND ($5 IS NULL OR newest >= $5)";

/// Messages of positions in segments. The positions have all columns of the key of their rows, so that the join finds
/// each by its whole key and never reads the other segments of the organization.
const MEMBERS: &str = "
    WITH picked AS MATERIALIZED (
        SELECT $1::uuid AS organization_id, c.segment_id, c.document / $4 * $4 AS first_document,
            c.document % $4 + 1 AS nth, c.place
        FROM unnest($2::uuid[], $3::integer[]) WITH ORDINALITY AS c(segment_id, document, place)
    )
    SELECT p.place, d.timestamps[p.nth] AS timestamp, d.message_ids[p.nth] AS message_id
    FROM picked p JOIN search_documents d USING (organization_id, segment_id, first_document)";

/// Reason of a failed index query.
#[derive(Debug)]
pub(crate) enum QueryError {
    /// Storage failed.
    Store(StoreError),
    /// A segment is unreadable.
    Broken(SearchError),
}

impl From<StoreError> for QueryError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<SearchError> for QueryError {
    fn from(error: SearchError) -> Self {
        Self::Broken(error)
    }
}

/// Segments of some inboxes with their remaining candidates.
pub(crate) struct CandidateSegments {
    question: SearchQuery,
    left: Vec<QueriedSegment>,
    /// Number of segments that were queried already.
    asked: usize,
}

struct QueriedSegment {
    id: Uuid,
    inbox_id: Arc<str>,
    hidden: i16,
    documents: Document,
    /// Lower bound, in result order, of the times of remaining candidates.
    bound: OffsetDateTime,
    /// First document number of candidates.
    first: Document,
    /// End of the document numbers of candidates, exclusive.
    end: Document,
    /// Remaining candidates, the next one last; `None` before the segment is queried.
    candidates: Option<Vec<Document>>,
}

/// A message that may contain the texts, with its hiding labels at the time of indexing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SearchCandidate {
    /// The message.
    pub(crate) member: SegmentMember,
    /// Its hiding labels.
    pub(crate) hidden: i16,
    /// Its inbox.
    pub(crate) inbox_id: Arc<str>,
}

impl CandidateSegments {
    /// Returns the segments with messages in the range of the query.
    pub(crate) async fn find(connection: &AsyncPgConnection, question: SearchQuery) -> Result<Self, StoreError> {
        let rows = Sql::new(SEGMENTS)
            .uuid(question.organization_id)
            .texts(question.inbox_ids.iter().map(String::as_str))
            .smalls(question.shown.iter().copied())
            .optional_time(question.newest)
            .optional_time(question.oldest)
            .rows_among::<QueriedSegmentRow>(connection)
            .await?;
        let left = rows.into_iter().map(|row| row.segment(&question)).collect();
        Ok(Self { question, left, asked: 0 })
    }

    /// Returns the number of messages in the segments.
    pub(crate) fn messages(&self) -> usize {
        self.left.iter().map(|segment| usize::from(segment.documents)).sum()
    }

    /// Returns the lower bound, in result order, of the times of remaining candidates; `None` without any.
    pub(crate) fn bound(&self) -> Option<OffsetDateTime> {
        let bounds = self.left.iter().map(|segment| segment.bound);
        match self.question.direction {
            Direction::Descending => bounds.max(),
            Direction::Ascending => bounds.min(),
        }
    }

    /// Queries all segments and returns the number of candidates.
    pub(crate) async fn count(&mut self, connection: &mut AsyncPgConnection) -> Result<usize, QueryError> {
        self.query(connection, usize::MAX).await?;
        Ok(self.left.iter().filter_map(|segment| segment.candidates.as_ref()).map(Vec::len).sum())
    }

    /// Returns the number of segments that were queried.
    pub(crate) fn queried(&self) -> usize {
        self.asked
    }

    /// Takes up to `count` of the next candidates in result order. Others may sort among them, but none before
    /// [`bound`](Self::bound).
    pub(crate) async fn take(
        &mut self,
        connection: &mut AsyncPgConnection,
        count: usize,
    ) -> Result<Vec<SearchCandidate>, QueryError> {
        self.sort();
        while self.is_unqueried() {
            self.query_next(connection).await?;
        }
        self.pick(connection, count, count).await
    }

    /// Queries some segments if the next one was not queried yet. Otherwise takes candidates like [`take`](Self::take),
    /// of each segment its share, because the messages of several inboxes alternate in time.
    pub(crate) async fn advance(
        &mut self,
        connection: &mut AsyncPgConnection,
        count: usize,
    ) -> Result<Vec<SearchCandidate>, QueryError> {
        self.sort();
        if self.is_unqueried() {
            self.query_next(connection).await?;
            return Ok(Vec::new());
        }
        let inboxes = self.question.inbox_ids.len().max(1);
        self.pick(connection, count, count.div_ceil(inboxes).max(MIN_SHARE).min(count)).await
    }

    fn is_unqueried(&self) -> bool {
        self.left.first().is_some_and(|segment| segment.candidates.is_none())
    }

    async fn query_next(&mut self, connection: &mut AsyncPgConnection) -> Result<(), QueryError> {
        self.query(connection, if self.asked == 0 { INITIAL_SEGMENTS } else { MAX_SEGMENTS }).await
    }

    /// Takes up to `count` of the next candidates, and up to `share` of each segment.
    async fn pick(
        &mut self,
        connection: &mut AsyncPgConnection,
        count: usize,
        share: usize,
    ) -> Result<Vec<SearchCandidate>, QueryError> {
        let mut picked: Vec<(usize, Document)> = Vec::new();
        for (place, segment) in self.left.iter_mut().enumerate() {
            let Some(candidates) = segment.candidates.as_mut() else { break };
            let rest = candidates.len().saturating_sub(share.min(count - picked.len()));
            picked.extend(candidates.drain(rest..).rev().map(|document| (place, document)));
            if picked.len() == count {
                break;
            }
        }
        let candidates = self.members(connection, &picked).await?;
        self.left.retain(|segment| segment.candidates.as_ref().is_none_or(|candidates| !candidates.is_empty()));
        Ok(candidates)
    }

    /// Sorts segments by the first message that they may have.
    fn sort(&mut self) {
        match self.question.direction {
            Direction::Descending => self.left.sort_by_key(|segment| Reverse(segment.bound)),
            Direction::Ascending => self.left.sort_by_key(|segment| segment.bound),
        }
    }

    /// Queries the next segments, at most `most`, that were not queried yet.
    async fn query(&mut self, connection: &mut AsyncPgConnection, most: usize) -> Result<(), QueryError> {
        let asked: Vec<&mut QueriedSegment> =
            self.left.iter_mut().filter(|segment| segment.candidates.is_none()).take(most).collect();
        self.asked += asked.len();
        let segments: Vec<ProbedSegment> = asked.iter().map(|segment| (segment.id, segment.documents)).collect();
        let found = postings::candidates(connection, &mut self.question, &segments).await?;
        for (segment, documents) in asked.into_iter().zip(found) {
            let (first, end) = (segment.first, segment.end);
            let newest_first = documents.newest_first().filter(|document| (first..end).contains(document));
            let mut candidates: Vec<Document> = newest_first.collect();
            if self.question.direction == Direction::Descending {
                candidates.reverse();
            }
            segment.candidates = Some(candidates);
        }
        self.left.retain(|segment| segment.candidates.as_ref().is_none_or(|candidates| !candidates.is_empty()));
        self.sort();
        Ok(())
    }

    /// Reads the messages of picked candidates and advances the bounds of their segments.
    async fn members(
        &mut self,
        connection: &mut AsyncPgConnection,
        picked: &[(usize, Document)],
    ) -> Result<Vec<SearchCandidate>, StoreError> {
        let segment_of = |(place, _): &(usize, Document)| self.left.get(*place).map(|segment| segment.id);
        let rows = Sql::new(MEMBERS)
            .uuid(self.question.organization_id)
            .uuids(picked.iter().filter_map(segment_of))
            .integers(picked.iter().map(|(_, document)| i32::from(*document)))
            .integer(i32::from(ROW))
            .rows::<CandidateRow>(connection)
            .await?;
        let mut candidates = Vec::with_capacity(rows.len());
        for row in rows {
            let segment = picked.get(array_index(row.place)).and_then(|(segment, _)| self.left.get_mut(*segment));
            let Some(segment) = segment else { continue };
            segment.bound = match self.question.direction {
                Direction::Descending => segment.bound.min(row.timestamp),
                Direction::Ascending => segment.bound.max(row.timestamp),
            };
            let member = SegmentMember { timestamp: row.timestamp, message_id: row.message_id };
            candidates.push(SearchCandidate {
                member,
                hidden: segment.hidden,
                inbox_id: Arc::clone(&segment.inbox_id),
            });
        }
        candidates.sort_unstable();
        // A message has a second position after its attachments were read. Twice, it would take two rows of a page.
        candidates.dedup();
        if self.question.direction == Direction::Descending {
            candidates.reverse();
        }
        Ok(candidates)
    }
}

#[derive(QueryableByName)]
struct QueriedSegmentRow {
    #[diesel(sql_type = Text)]
    inbox_id: String,
    #[diesel(sql_type = SqlUuid)]
    segment_id: Uuid,
    #[diesel(sql_type = SmallInt)]
    hidden: i16,
    #[diesel(sql_type = Integer)]
    documents: i32,
    #[diesel(sql_type = Timestamptz)]
    oldest: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    newest: OffsetDateTime,
    /// Number of document rows that begin at the newest time of the query or before.
    #[diesel(sql_type = Nullable<Integer>)]
    rows_from_oldest: Option<i32>,
    /// Number of document rows that begin before its oldest time.
    #[diesel(sql_type = Nullable<Integer>)]
    rows_left_out: Option<i32>,
}

impl QueriedSegmentRow {
    fn segment(self, question: &SearchQuery) -> QueriedSegment {
        let place_of = |row: i32| Document::try_from(row.max(0)).unwrap_or(Document::MAX).saturating_mul(ROW);
        QueriedSegment {
            id: self.segment_id,
            inbox_id: self.inbox_id.into(),
            hidden: self.hidden,
            documents: Document::try_from(self.documents).unwrap_or(MAX_DOCUMENTS),
            bound: match question.direction {
                Direction::Descending => self.newest,
                Direction::Ascending => self.oldest,
            },
            // The last of these rows may end at that time or later.
            first: place_of(self.rows_left_out.unwrap_or_default().saturating_sub(1)),
            end: self.rows_from_oldest.map_or(Document::MAX, place_of),
            candidates: None,
        }
    }
}

#[derive(QueryableByName)]
struct CandidateRow {
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Timestamptz)]
    timestamp: OffsetDateTime,
    #[diesel(sql_type = Text)]
    message_id: String,
}

/// Returns the array index of a number that counts from one.
pub(super) fn array_index(number: i64) -> usize {
    usize::try_from(number - 1).unwrap_or(usize::MAX)
}
