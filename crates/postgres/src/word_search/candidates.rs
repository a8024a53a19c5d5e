//! Candidates of a search by words: unindexed messages and candidates of the index.

use std::sync::Arc;

use diesel::QueryableByName;
use diesel::sql_types::{Bool, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::Scope;
use inboxd_core::model::page::Direction;
use inboxd_core::ports::{MAX_SEARCHED_INBOXES, StoreError, WordSearch};
use inboxd_core::rules::word_search::TermField;
use inboxd_search::NeedleRanges;
use time::OffsetDateTime;
use uuid::Uuid;

use super::results::SearchResult;
use crate::keyset::KeysetOrder;
use crate::messages::list::shown;
use crate::search::query::{SearchCandidate, SearchQuery, ranges};
use crate::search::segments::SegmentMember;
use crate::sql::Sql;

/// Maximum unindexed messages that one search considers, shared by its inboxes.
const MAX_PENDING: usize = 20_000;
/// Minimum share of an inbox: more than a flush leaves behind.
const MIN_PENDING: usize = 512;
/// Maximum leading grams of a query in several inboxes, and maximum further ones: each costs a lookup in every segment, or
/// in those with many candidates.
const MAX_SHARED_GRAMS: usize = 4;

const INBOXES: &str = "
    SELECT inbox_id FROM inboxes
    WHERE organization_id = $1 AND deleted_at IS NULL AND ($2 IS NULL OR inbox_id = $2) AND ($3 IS NULL OR pod_id = $3)
    ORDER BY inbox_id LIMIT $4";

#[derive(QueryableByName)]
struct InboxRow {
    #[diesel(sql_type = Text)]
    inbox_id: String,
}

/// Returns the inboxes of a scope; `None` for too many.
pub(super) async fn inboxes(
    connection: &AsyncPgConnection,
    search: &WordSearch,
) -> Result<Option<Vec<String>>, StoreError> {
    let (inbox_id, pod_id) = match &search.scope {
        Scope::Organization => (None, None),
        Scope::Pod(pod_id) => (None, Some(pod_id.0)),
        Scope::Inbox(inbox_id) => (Some(inbox_id.as_str()), None),
    };
    let rows = Sql::new(INBOXES)
        .uuid(search.organization_id.0)
        .optional_text(inbox_id)
        .bind::<Nullable<SqlUuid>, _>(pod_id)
        .big(i64::try_from(MAX_SEARCHED_INBOXES + 1).unwrap_or(i64::MAX))
        .rows_among::<InboxRow>(connection)
        .await?;
    let inboxes: Vec<String> = rows.into_iter().map(|row| row.inbox_id).collect();
    Ok((inboxes.len() <= MAX_SEARCHED_INBOXES).then_some(inboxes))
}

/// Returns the query of the index. The times of threads are those of their newest messages, so a match may be older.
pub(super) fn question(search: &WordSearch, inbox_ids: Vec<String>, result: SearchResult) -> SearchQuery {
    let cursor = search.page.after.as_ref().map(|cursor| cursor.time);
    let (newest, oldest) = match search.page.direction {
        Direction::Descending => (cursor, None),
        Direction::Ascending => (None, cursor),
    };
    SearchQuery {
        organization_id: search.organization_id.0,
        ranges: grams(search, inbox_ids.len() > 1),
        inbox_ids,
        shown: shown(search.included).collect(),
        newest: search.before.into_iter().chain(newest).min(),
        oldest: search.after.filter(|_| result == SearchResult::Messages).into_iter().chain(oldest).max(),
        direction: search.page.direction,
        reads_damaged: true,
    }
}

/// Returns the ranges of grams of the words. One or two letters cost many lookups, so they are left to the matcher where
/// a longer word excludes enough.
fn grams(search: &WordSearch, is_shared: bool) -> NeedleRanges {
    let fields = [TermField::Any, TermField::From, TermField::To, TermField::Subject];
    let mut ranges = ranges(fields.into_iter().flat_map(|field| search.words.pieces(field)));
    if ranges.leading.iter().all(|range| range.first == range.last) {
        ranges.further.retain(|range| range.first == range.last);
    }
    if is_shared {
        ranges.leading.truncate(MAX_SHARED_GRAMS);
        ranges.further.truncate(MAX_SHARED_GRAMS);
    }
    ranges
}

/// Unindexed messages, the next one last.
#[derive(Default)]
pub(super) struct PendingCandidates {
    pub(super) candidates: Vec<SearchCandidate>,
    /// Time behind which there may be others.
    pub(super) rest: Option<OffsetDateTime>,
}

#[derive(QueryableByName)]
struct PendingRow {
    #[diesel(sql_type = Text)]
    inbox_id: String,
    #[diesel(sql_type = SmallInt)]
    hidden: i16,
    #[diesel(sql_type = Timestamptz)]
    timestamp: OffsetDateTime,
    #[diesel(sql_type = Text)]
    message_id: String,
    /// Whether the row is the last that its inbox may return.
    #[diesel(sql_type = Bool)]
    is_last: bool,
}

impl PendingRow {
    fn candidate(self) -> SearchCandidate {
        SearchCandidate {
            member: SegmentMember { timestamp: self.timestamp, message_id: self.message_id },
            hidden: self.hidden,
            inbox_id: Arc::from(self.inbox_id),
        }
    }
}

/// Returns the unindexed messages of the inboxes in the order of the search, of each inbox its share.
///
/// The index has the order of hours only. So the walk ends with the hour that fills the share (`WITH TIES`), and these
/// messages are sorted: a flood of unindexed messages is neither read nor sorted.
pub(super) async fn pending(
    connection: &AsyncPgConnection,
    question: &SearchQuery,
) -> Result<PendingCandidates, StoreError> {
    let order = KeysetOrder::of(question.direction);
    let text = format!(
        "SELECT i.inbox_id, shown.hidden, p.timestamp, p.message_id, p.place = $6 AS is_last
        FROM unnest($2::text[]) AS i(inbox_id) CROSS JOIN unnest($3::smallint[]) AS shown(hidden) CROSS JOIN LATERAL (
            SELECT w.timestamp, w.message_id, row_number() OVER (ORDER BY w.hour {sort}, w.timestamp {sort}) AS place
            FROM (
                SELECT p.hour, p.timestamp, p.message_id FROM search_pending p
                WHERE p.organization_id = $1 AND p.inbox_id = i.inbox_id AND p.hidden = shown.hidden
                    AND ($4 IS NULL OR p.timestamp <= $4) AND ($5 IS NULL OR p.timestamp >= $5)
                ORDER BY p.hour {sort} FETCH FIRST ($6) ROWS WITH TIES) w
            ORDER BY w.hour {sort}, w.timestamp {sort} LIMIT $6) p",
        sort = order.sort,
    );
    let share = (MAX_PENDING / question.inbox_ids.len().max(1)).max(MIN_PENDING);
    let rows = Sql::new(text)
        .uuid(question.organization_id)
        .texts(question.inbox_ids.iter().map(String::as_str))
        .smalls(question.shown.iter().copied())
        .optional_time(question.newest)
        .optional_time(question.oldest)
        .big(i64::try_from(share).unwrap_or(i64::MAX))
        .rows_among::<PendingRow>(connection)
        .await?;
    let last = rows.iter().filter(|row| row.is_last).map(|row| row.timestamp);
    let rest = match question.direction {
        Direction::Descending => last.max(),
        Direction::Ascending => last.min(),
    };
    let mut candidates: Vec<SearchCandidate> = rows.into_iter().map(PendingRow::candidate).collect();
    candidates.sort_unstable();
    if question.direction == Direction::Ascending {
        candidates.reverse();
    }
    Ok(PendingCandidates { candidates, rest })
}

/// Messages of threads at or ahead of a position.
pub(super) async fn of_threads(
    connection: &AsyncPgConnection,
    question: &SearchQuery,
    threads: &[(&str, Uuid)],
    position: OffsetDateTime,
    limit: usize,
) -> Result<Vec<SearchCandidate>, StoreError> {
    let (ahead, sort) = match question.direction {
        Direction::Descending => (">=", "DESC"),
        Direction::Ascending => ("<=", "ASC"),
    };
    let text = format!(
        "SELECT t.inbox_id, m.hidden, m.timestamp, m.message_id, false AS is_last
        FROM unnest($2::text[], $3::uuid[]) AS t(inbox_id, thread_id) CROSS JOIN LATERAL (
            SELECT m.hidden, m.timestamp, m.message_id FROM messages m
            WHERE m.organization_id = $1 AND m.inbox_id = t.inbox_id AND m.thread_id = t.thread_id
                AND m.timestamp {ahead} $4 AND m.hidden = ANY($5)
            ORDER BY m.timestamp {sort} LIMIT $6) m"
    );
    let rows = Sql::new(text)
        .uuid(question.organization_id)
        .texts(threads.iter().map(|(inbox_id, _)| *inbox_id))
        .uuids(threads.iter().map(|(_, thread_id)| *thread_id))
        .time(position)
        .smalls(question.shown.iter().copied())
        .big(i64::try_from(limit).unwrap_or(i64::MAX))
        .rows_among::<PendingRow>(connection)
        .await?;
    Ok(rows.into_iter().map(PendingRow::candidate).collect())
}
