//! Searches by words in an inbox, a pod or an organization.
//!
//! The index of substrings finds candidates by pieces of the words. The matcher of the core decides.

mod candidates;
mod matches;
mod threads;
mod walk;

use async_trait::async_trait;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{MessageItem, Page};
use inboxd_core::ports::{MessageMatch, StoreError, ThreadMatch, WordSearch, WordSearchReads};
use inboxd_core::rules::word_search::Highlights;

use crate::search::query::QueryError;
use crate::store::PgStore;
use walk::{SearchResult, WordWalk};

/// Position of a match among all: its time, then its message and inbox.
type MatchKey = (time::OffsetDateTime, String);

/// A matching message with its fragments.
struct WordMatch {
    item: MessageItem,
    highlights: Highlights,
}

#[async_trait]
impl WordSearchReads for PgStore {
    async fn search_messages(&self, search: &WordSearch) -> Result<Option<Page<MessageMatch>>, StoreError> {
        match messages(self, search).await {
            Err(QueryError::Broken(error)) => Err(crate::search::broken(error)),
            Err(QueryError::Store(error)) => Err(error),
            Ok(page) => Ok(page),
        }
    }

    async fn search_threads(&self, search: &WordSearch) -> Result<Option<Page<ThreadMatch>>, StoreError> {
        match threads::search(self, search).await {
            Err(QueryError::Broken(error)) => Err(crate::search::broken(error)),
            Err(QueryError::Store(error)) => Err(error),
            Ok(page) => Ok(page),
        }
    }
}

async fn messages(store: &PgStore, search: &WordSearch) -> Result<Option<Page<MessageMatch>>, QueryError> {
    let Some(mut walk) = WordWalk::begin(store, search, SearchResult::Messages).await? else { return Ok(None) };
    let mut found = Vec::new();
    while !is_full(&found, search)
        && let Some(matches) = walk.next().await?
    {
        found.extend(
            matches
                .into_iter()
                .map(|(key, one)| (key, MessageMatch { item: one.item, highlights: Some(one.highlights) })),
        );
    }
    Ok(Some(page(found, search, walk.interruption())))
}

/// Returns whether the page is full and another item shows that more follow.
fn is_full<T>(found: &[(MatchKey, T)], search: &WordSearch) -> bool {
    found.len() > limit(search)
}

fn limit(search: &WordSearch) -> usize {
    usize::try_from(search.page.limit).unwrap_or(usize::MAX)
}

/// Returns the page of all matches that were found, in order. An interrupted search continues at its interruption.
fn page<T>(mut found: Vec<(MatchKey, T)>, search: &WordSearch, interruption: Option<Cursor>) -> Page<T> {
    let more = is_full(&found, search);
    found.truncate(limit(search));
    let last = found.last().map(|((time, id), _)| Cursor { time: *time, id: id.clone() });
    let next = if more { last } else { interruption };
    Page { items: found.into_iter().map(|(_, item)| item).collect(), next }
}
