//! Searches by words in an inbox, a pod or an organization.
//!
//! The index of substrings finds candidates by pieces of the words. The matcher of the core decides.

mod candidates;
mod matches;
mod results;
mod threads;
mod walk;

use async_trait::async_trait;
use inboxd_core::model::Page;
use inboxd_core::ports::{MessageMatch, StoreError, ThreadMatch, WordSearch, WordSearchReads};

use self::results::{SearchResult, is_full, page};
use self::walk::WordWalk;
use crate::search::index_work::broken;
use crate::search::query::QueryError;
use crate::store::PgStore;

#[async_trait]
impl WordSearchReads for PgStore {
    async fn search_messages(&self, search: &WordSearch) -> Result<Option<Page<MessageMatch>>, StoreError> {
        match messages(self, search).await {
            Err(QueryError::Broken(error)) => Err(broken(error)),
            Err(QueryError::Store(error)) => Err(error),
            Ok(page) => Ok(page),
        }
    }

    async fn search_threads(&self, search: &WordSearch) -> Result<Option<Page<ThreadMatch>>, StoreError> {
        match threads::search(self, search).await {
            Err(QueryError::Broken(error)) => Err(broken(error)),
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
