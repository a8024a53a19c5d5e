//! Threads of the matches of a search, each by its first match.

use std::collections::{BTreeMap, BTreeSet};

use inboxd_core::model::{Page, Thread};
use inboxd_core::ports::{StoreError, ThreadMatch, WordSearch};
use uuid::Uuid;

use super::results::{MatchKey, SearchResult, WordMatch, is_full, page};
use super::walk::WordWalk;
use crate::search::query::QueryError;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::threads::rows::{THREAD, ThreadRow};

/// Messages of a thread in which an earlier match is looked for.
const MAX_EARLIER_MESSAGES: usize = 1_000;

pub(super) async fn search(store: &PgStore, search: &WordSearch) -> Result<Option<Page<ThreadMatch>>, QueryError> {
    let Some(mut walk) = WordWalk::begin(store, search, SearchResult::Threads).await? else { return Ok(None) };
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while !is_full(&found, search)
        && let Some(mut matches) = walk.next().await?
    {
        matches.retain(|(_, one)| seen.insert(one.item.thread_id.0));
        found.extend(first_matches(&mut walk, search, matches).await?);
    }
    Ok(Some(page(found, search, walk.interruption())))
}

/// Returns the threads of these matches, without those that an earlier page showed.
async fn first_matches(
    walk: &mut WordWalk<'_>,
    search: &WordSearch,
    mut matches: Vec<(MatchKey, WordMatch)>,
) -> Result<Vec<(MatchKey, ThreadMatch)>, StoreError> {
    if matches.is_empty() {
        return Ok(Vec::new());
    }
    let of = |(_, one): &(MatchKey, WordMatch)| (one.item.inbox_id.as_str().to_owned(), one.item.thread_id.0);
    let threads: Vec<(String, Uuid)> = matches.iter().map(of).collect();
    let threads: Vec<(&str, Uuid)> =
        threads.iter().map(|(inbox_id, thread_id)| (inbox_id.as_str(), *thread_id)).collect();
    let shown = walk.shown_before(&threads, MAX_EARLIER_MESSAGES).await?;
    matches.retain(|(_, one)| !shown.contains(&one.item.thread_id.0));
    let rows = read(search, &threads).rows::<ThreadRow>(walk.connection().await?).await?;
    let mut rows: BTreeMap<Uuid, Thread> = rows
        .into_iter()
        .map(|row| row.entity().map(|thread| (thread.thread_id.0, thread)))
        .collect::<Result<_, StoreError>>()?;
    let found = matches.into_iter().filter_map(|(key, one)| {
        let thread = rows.remove(&one.item.thread_id.0)?;
        Some((key, ThreadMatch { thread, highlights: Some(one.highlights) }))
    });
    Ok(found.collect())
}

/// Reads the threads. `LIMIT 1` asks for each, which has one row, by its whole key; a join may read all threads of the
/// organization.
fn read<'a>(search: &'a WordSearch, threads: &[(&'a str, Uuid)]) -> Sql<'a> {
    let text = format!(
        "SELECT {THREAD} FROM unnest($2::text[], $3::uuid[]) AS found(inbox_id, thread_id) CROSS JOIN LATERAL (
            SELECT t.* FROM threads t
            WHERE t.organization_id = $1 AND t.inbox_id = found.inbox_id AND t.thread_id = found.thread_id LIMIT 1) t
        WHERE t.labels @> $4 AND ($5 IS NULL OR t.timestamp < $5) AND ($6 IS NULL OR t.timestamp > $6)"
    );
    Sql::new(text)
        .uuid(search.organization_id.0)
        .texts(threads.iter().map(|(inbox_id, _)| *inbox_id))
        .uuids(threads.iter().map(|(_, thread_id)| *thread_id))
        .texts(search.labels.iter().map(String::as_str))
        .optional_time(search.before)
        .optional_time(search.after)
}
