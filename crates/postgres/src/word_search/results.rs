//! Results of a search: matches and their pages.

use inboxd_core::model::page::Cursor;
use inboxd_core::model::{MessageItem, Page};
use inboxd_core::ports::WordSearch;
use inboxd_core::rules::word_search::Highlights;
use time::OffsetDateTime;

/// Result of a search, to which labels and times apply.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchResult {
    Messages,
    Threads,
}

/// Position of a match among all: its time, then its message and inbox.
pub(super) type MatchKey = (OffsetDateTime, String);

/// A matching message with its fragments.
pub(super) struct WordMatch {
    pub(super) item: MessageItem,
    pub(super) highlights: Highlights,
}

/// Returns whether the page is full and another item shows that more follow.
pub(super) fn is_full<T>(found: &[(MatchKey, T)], search: &WordSearch) -> bool {
    found.len() > limit(search)
}

pub(super) fn limit(search: &WordSearch) -> usize {
    usize::try_from(search.page.limit).unwrap_or(usize::MAX)
}

/// Returns the page of all matches that were found, in order. An interrupted search continues at its interruption.
pub(super) fn page<T>(mut found: Vec<(MatchKey, T)>, search: &WordSearch, interruption: Option<Cursor>) -> Page<T> {
    let more = is_full(&found, search);
    found.truncate(limit(search));
    let last = found.last().map(|((time, id), _)| Cursor { time: *time, id: id.clone() });
    let next = if more { last } else { interruption };
    Page { items: found.into_iter().map(|(_, item)| item).collect(), next }
}
