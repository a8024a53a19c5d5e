//! Lists of messages that contain given texts.
//!
//! Messages without a segment of the index are read one by one. Segments return candidates, which are read until the
//! page is full. The texts of a message alone decide whether it matches.

use std::collections::BTreeMap;

use diesel_async::AsyncPgConnection;
use inboxd_core::model::page::{Cursor, Direction};
use inboxd_core::model::{MessageItem, Page};
use inboxd_core::ports::{MessageQuery, StoreError};
use inboxd_search::NeedleRanges;
use tokio::try_join;

use super::list::{bound, matches_texts, shown, walked_label, window};
use super::rows::{INBOX_LIVES, ITEM, ItemRow, place};
use crate::keyset::{KeysetOrder, rows_to_read};
use crate::scalar_rows::CountRow;
use crate::search::index_work::begin_snapshot;
use crate::search::query::{CandidateSegments, QueryError, SearchCandidate, SearchQuery, ranges};
use crate::sql::Sql;
use crate::store::PgStore;
use crate::text::storable;
use crate::tx::PgTx;

/// Candidates read beyond the free rows of the page: a few of them do not match.
const SPARE_CANDIDATES: usize = 14;
/// Maximum candidates per read.
const MAX_READ: usize = 1_024;
/// Messages that are scanned before the index is queried for one or two characters, which most messages may contain.
const SCAN_LIMIT: i64 = 100;
/// Number of candidates from which counting a label pays.
const COUNTING_THRESHOLD: usize = 256;

/// Finds a page of messages. Returns `None` if a walk along the list is better: no indexed text, a label that is rarer
/// than the texts, or an unreadable index.
pub(super) async fn search(store: &PgStore, query: &MessageQuery) -> Result<Option<Page<MessageItem>>, StoreError> {
    let wanted = query.from.iter().chain(&query.to).chain(&query.subject).chain(&query.search);
    let needles: Vec<_> = wanted.map(|text| storable(text)).collect();
    let ranges = ranges(needles.iter().map(AsRef::as_ref));
    if ranges.leading.is_empty() {
        return Ok(None);
    }
    let mut tx = begin_snapshot(store).await?;
    // Dropped without a commit: nothing was written, and the rollback follows the result.
    match find(&mut tx, query, ranges).await {
        Ok(found) => Ok(found.map(|found| found.page(query))),
        Err(QueryError::Store(error)) => Err(error),
        Err(QueryError::Broken(error)) => {
            let inbox_id = &query.inbox_id;
            tracing::error!(%inbox_id, %error, "search index broken, messages scanned");
            Ok(None)
        }
    }
}

async fn find(tx: &mut PgTx, query: &MessageQuery, ranges: NeedleRanges) -> Result<Option<SearchHits>, QueryError> {
    let mut found = SearchHits::new(query);
    // No other text is longer than that of the leading ranges, so its ranges are wide as well.
    let are_wide = ranges.leading.iter().all(|range| range.first != range.last);
    if are_wide && query.labels.is_empty() {
        found.add(tx.beginning(async |connection| newest(query).rows_among(connection).await).await?)?;
        if found.is_full() {
            return Ok(Some(found));
        }
    }
    let question = question(query, ranges);
    let mut segments = if query.labels.is_empty() {
        let asked = async |connection: &AsyncPgConnection| try_join!(biased; CandidateSegments::find(connection, question), pending(query).rows_among(connection));
        let (segments, pending) = tx.beginning(asked).await?;
        found.add(pending)?;
        segments
    } else {
        let mut segments = tx.beginning(async |connection| CandidateSegments::find(connection, question).await).await?;
        let connection = tx.connection().await?;
        let candidates = segments.count(connection).await?;
        if candidates > COUNTING_THRESHOLD && label_is_rarer(connection, query, candidates).await? {
            return Ok(None);
        }
        found.add(pending(query).rows(connection).await?)?;
        segments
    };
    let connection = tx.connection().await?;
    let mut count = found.wanted + SPARE_CANDIDATES;
    while let Some(bound) = segments.bound() {
        if found.is_complete(bound) {
            break;
        }
        let candidates = segments.take(connection, count).await?;
        found.add(read(query, &candidates).rows(connection).await?)?;
        count = (count * 2).min(MAX_READ);
    }
    Ok(Some(found))
}

fn question(query: &MessageQuery, ranges: NeedleRanges) -> SearchQuery {
    let cursor = query.page.after.as_ref().map(|cursor| cursor.time);
    let (newest, oldest) = match query.page.direction {
        Direction::Descending => (cursor, None),
        Direction::Ascending => (None, cursor),
    };
    SearchQuery {
        organization_id: query.organization_id.0,
        inbox_ids: vec![query.inbox_id.as_str().to_owned()],
        shown: shown(query.included).collect(),
        ranges,
        newest: query.before.into_iter().chain(newest).min(),
        oldest: query.after.into_iter().chain(oldest).max(),
        direction: query.page.direction,
        reads_damaged: false,
    }
}

/// Returns the matches among the first messages of the list.
fn newest(query: &MessageQuery) -> Sql<'_> {
    let text = format!(
        "SELECT {ITEM} FROM (
            SELECT m.* FROM unnest($3::smallint[]) AS shown(hidden) CROSS JOIN LATERAL (
                SELECT m.* FROM messages m
                WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.hidden = shown.hidden {window}
                ORDER BY m.timestamp {sort}, m.message_id {sort} LIMIT {SCAN_LIMIT}) m
            ORDER BY m.timestamp {sort}, m.message_id {sort} LIMIT {SCAN_LIMIT}) m
        WHERE {holds_wanted} AND {INBOX_LIVES}
        LIMIT $4",
        window = window(query, "m"),
        sort = KeysetOrder::of(query.page.direction).sort,
        holds_wanted = matches_texts(query),
    );
    prepared(text, query)
}

/// Returns the matches among the unindexed messages, with each set of hiding labels in list order. `LIMIT 1`: the key of a
/// message is unique, and the walk stops at a full page.
fn pending(query: &MessageQuery) -> Sql<'_> {
    let text = format!(
        "SELECT {ITEM} FROM unnest($3::smallint[]) AS shown(hidden) CROSS JOIN LATERAL (
            SELECT m.* FROM (
                SELECT DISTINCT p.hour, p.timestamp, p.message_id FROM search_pending p
                WHERE p.organization_id = $1 AND p.inbox_id = $2 AND p.hidden = shown.hidden {window}
                ORDER BY p.hour {sort}, p.timestamp {sort}, p.message_id {sort}) p
            CROSS JOIN LATERAL (
                SELECT m.* FROM messages m
                WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.message_id = p.message_id
                    AND m.hidden = shown.hidden AND m.timestamp = p.timestamp AND m.labels @> $8 LIMIT 1) m
            WHERE {holds_wanted}
            ORDER BY p.hour {sort}, p.timestamp {sort}, p.message_id {sort} LIMIT $4) m
        WHERE {INBOX_LIVES}",
        window = window(query, "p"),
        sort = KeysetOrder::of(query.page.direction).sort,
        holds_wanted = matches_texts(query),
    );
    prepared(text, query)
}

/// Returns the matches among candidates, in their order. A candidate behind a full page is not part of it. `LIMIT 1`: the
/// key of a message is unique, and candidates behind a full page are not read.
fn read<'a>(query: &'a MessageQuery, candidates: &'a [SearchCandidate]) -> Sql<'a> {
    let text = format!(
        "SELECT {ITEM} FROM (
            SELECT message_id COLLATE \"C\" AS message_id, timestamp, hidden, place
            FROM unnest($18::text[], $19::timestamptz[], $20::smallint[]) WITH ORDINALITY
                AS c(message_id, timestamp, hidden, place)) c
        CROSS JOIN LATERAL (
            SELECT m.* FROM messages m
            WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.message_id = c.message_id
                AND m.hidden = c.hidden AND m.timestamp = c.timestamp AND m.labels @> $8 LIMIT 1) m
        WHERE {holds_wanted} AND {INBOX_LIVES} {window}
        ORDER BY c.place LIMIT $4",
        window = window(query, "c"),
        holds_wanted = matches_texts(query),
    );
    prepared(text, query)
        .texts(candidates.iter().map(|candidate| candidate.member.message_id.as_str()))
        .times(candidates.iter().map(|candidate| candidate.member.timestamp))
        .smalls(candidates.iter().map(|candidate| candidate.hidden))
}

/// Returns whether fewer messages have the rarest label than there are candidates.
async fn label_is_rarer(
    connection: &mut AsyncPgConnection,
    query: &MessageQuery,
    candidates: usize,
) -> Result<bool, StoreError> {
    let text = "SELECT count(*) AS count FROM unnest($4::smallint[]) AS shown(hidden) CROSS JOIN LATERAL (
        SELECT FROM message_labels
        WHERE organization_id = $1 AND inbox_id = $2 AND label = $3 AND hidden = shown.hidden LIMIT $5) carry";
    let candidates = i64::try_from(candidates).unwrap_or(i64::MAX);
    let row = Sql::new(text)
        .uuid(query.organization_id.0)
        .text(query.inbox_id.as_str())
        .optional_text(walked_label(&query.labels))
        .smalls(shown(query.included))
        .big(candidates)
        .row::<CountRow>(connection)
        .await?;
    Ok(row.is_some_and(|row| row.count < candidates))
}

/// Prepares a statement for reuse if it has few variants.
fn prepared(text: String, query: &MessageQuery) -> Sql<'_> {
    let statement = bound(text, query);
    let is_usual = query.from.is_empty() && query.to.is_empty() && query.subject.is_empty();
    if is_usual { statement } else { statement.uncached() }
}

/// Matches by their position in the list.
struct SearchHits {
    items: BTreeMap<Key, MessageItem>,
    /// Number of matches that the page needs, one more than its limit.
    wanted: usize,
    direction: Direction,
}

type Key = (time::OffsetDateTime, String);

impl SearchHits {
    fn new(query: &MessageQuery) -> Self {
        let wanted = usize::try_from(rows_to_read(query.page.limit)).unwrap_or(usize::MAX);
        Self { items: BTreeMap::new(), wanted, direction: query.page.direction }
    }

    fn add(&mut self, rows: Vec<ItemRow>) -> Result<(), StoreError> {
        for row in rows {
            let item = row.entity()?;
            let Cursor { time, id } = place(&item);
            self.items.insert((time, id), item);
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.items.len() >= self.wanted
    }

    /// Returns whether no match at or behind a time belongs to the page.
    fn is_complete(&self, bound: time::OffsetDateTime) -> bool {
        let last = self.wanted.saturating_sub(1);
        match self.direction {
            Direction::Descending => self.items.keys().rev().nth(last).is_some_and(|(time, _)| *time > bound),
            Direction::Ascending => self.items.keys().nth(last).is_some_and(|(time, _)| *time < bound),
        }
    }

    fn page(self, query: &MessageQuery) -> Page<MessageItem> {
        let mut items: Vec<MessageItem> = self.items.into_values().collect();
        if self.direction == Direction::Descending {
            items.reverse();
        }
        items.truncate(self.wanted);
        Page::of(items, query.page.limit, place)
    }
}
