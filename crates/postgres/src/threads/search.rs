//! Lists of threads that contain a given text.
//!
//! The newest message of a thread decides its position, not the matching one. So all matching messages are
//! found first, if they are few.

use std::collections::BTreeSet;

use diesel::QueryableByName;
use inboxd_core::model::page::Direction;
use inboxd_core::model::{InboxId, Page, Scope, Thread};
use inboxd_core::ports::{StoreError, ThreadQuery};
use inboxd_search::NeedleRanges;
use uuid::Uuid;

use super::list::{bound, filters, window};
use super::rows::{THREAD, ThreadRow, place};
use crate::keyset::KeysetOrder;
use crate::messages::list::shown;
use crate::messages::rows::{BODY_OF_MESSAGE, INBOX_LIVES};
use crate::schema::threads;
use crate::search::index_work::begin_snapshot;
use crate::search::query::{CandidateSegments, QueryError, SearchCandidate, SearchQuery, ranges};
use crate::sql::Sql;
use crate::store::PgStore;
use crate::text::storable;
use crate::tx::PgTx;

/// Maximum candidates per read.
const MAX_READ: usize = 1_024;
/// Approximate cost of searching the threads of a page one by one, in reads of a candidate.
const WALK_COST: usize = 64;

#[derive(QueryableByName)]
#[diesel(table_name = threads)]
struct IdRow {
    thread_id: Uuid,
}

/// Finds a page of threads. Returns `None` if a walk along the list is better: many matches, several inboxes, or an
/// unreadable index.
pub(super) async fn search(store: &PgStore, query: &ThreadQuery) -> Result<Option<Page<Thread>>, StoreError> {
    let (Some(text), Scope::Inbox(inbox_id)) = (&query.search, &query.scope) else { return Ok(None) };
    let ranges = ranges([storable(text).as_ref()]);
    if ranges.leading.is_empty() {
        return Ok(None);
    }
    let mut tx = begin_snapshot(store).await?;
    // Dropped without a commit: nothing was written, and the rollback follows the result.
    match find(&mut tx, query, inbox_id, ranges).await {
        Ok(found) => Ok(found),
        Err(QueryError::Store(error)) => Err(error),
        Err(QueryError::Broken(error)) => {
            tracing::error!(%inbox_id, %error, "search index broken, threads scanned");
            Ok(None)
        }
    }
}

async fn find(
    tx: &mut PgTx,
    query: &ThreadQuery,
    inbox_id: &InboxId,
    ranges: NeedleRanges,
) -> Result<Option<Page<Thread>>, QueryError> {
    let question = SearchQuery {
        organization_id: query.organization_id.0,
        inbox_ids: vec![inbox_id.as_str().to_owned()],
        shown: shown(query.included).collect(),
        ranges,
        newest: None,
        oldest: None,
        direction: Direction::Descending,
        reads_damaged: false,
    };
    let mut segments = tx.beginning(async |connection| CandidateSegments::find(connection, question).await).await?;
    let connection = tx.connection().await?;
    let messages = segments.messages();
    let candidates = segments.count(connection).await?;
    if candidates.saturating_mul(candidates) > messages.saturating_mul(WALK_COST) {
        return Ok(None);
    }
    let mut thread_ids = BTreeSet::new();
    let mut add = |rows: Vec<IdRow>| thread_ids.extend(rows.into_iter().map(|row| row.thread_id));
    add(pending(query).rows(connection).await?);
    while segments.bound().is_some() {
        let candidates = segments.take(connection, MAX_READ).await?;
        add(read(query, &candidates).rows(connection).await?);
    }
    let rows = page(query, &thread_ids).rows::<ThreadRow>(connection).await?;
    let threads = rows.into_iter().map(ThreadRow::entity).collect::<Result<Vec<_>, _>>()?;
    Ok(Some(Page::of(threads, query.page.limit, place)))
}

/// Returns the condition that message `m` contains the text.
fn matches_text() -> String {
    format!("(SELECT strpos(b.search_text, $15) > 0 FROM message_bodies b WHERE {BODY_OF_MESSAGE})")
}

/// Returns the threads of matching unindexed messages.
fn pending(query: &ThreadQuery) -> Sql<'_> {
    let text = format!(
        "SELECT DISTINCT m.thread_id FROM search_pending p
        JOIN messages m USING (organization_id, inbox_id, hidden, timestamp, message_id)
        WHERE p.organization_id = $1 AND p.inbox_id = $2 AND p.hidden & $16 = 0 AND {holds_text}",
        holds_text = matches_text(),
    );
    bound(text, query)
}

/// Returns the threads of matching candidates.
fn read<'a>(query: &'a ThreadQuery, candidates: &'a [SearchCandidate]) -> Sql<'a> {
    let text = format!(
        "SELECT DISTINCT m.thread_id
        FROM (SELECT $1::uuid AS organization_id, $2::text AS inbox_id, unnest($20::text[]) AS message_id,
            unnest($21::timestamptz[]) AS timestamp, unnest($22::smallint[]) AS hidden) c
        JOIN messages m USING (organization_id, inbox_id, hidden, timestamp, message_id)
        WHERE {holds_text}",
        holds_text = matches_text(),
    );
    bound(text, query)
        .texts(candidates.iter().map(|candidate| candidate.member.message_id.as_str()))
        .times(candidates.iter().map(|candidate| candidate.member.timestamp))
        .smalls(candidates.iter().map(|candidate| candidate.hidden))
}

/// Returns the page among these threads.
fn page<'a>(query: &'a ThreadQuery, thread_ids: &BTreeSet<Uuid>) -> Sql<'a> {
    let text = format!(
        "SELECT {THREAD}
        FROM (SELECT $1::uuid AS organization_id, $2::text AS inbox_id, unnest($20::uuid[]) AS thread_id) found
        JOIN threads t USING (organization_id, inbox_id, thread_id)
        WHERE t.visible = ANY($3) AND t.hidden_sets & $7 <> 0 AND t.labels @> $9 {window} {filters} AND {INBOX_LIVES}
        ORDER BY t.timestamp {sort}, t.thread_id {sort} LIMIT $4",
        window = window(query, "t"),
        filters = filters(query).join(" "),
        sort = KeysetOrder::of(query.page.direction).sort,
    );
    bound(text, query).uncached().uuids(thread_ids.iter().copied())
}
