//! Searches of threads in random histories.

use inboxd_core::model::page::Direction;
use inboxd_core::model::{HidingLabels, ThreadId};
use inboxd_core::ports::{MessageQuery, ThreadQuery, ThreadReads};

use super::History;

/// Threads as derived from their messages.
pub(super) const THREADS: &str = "
    DELETE FROM threads;
    INSERT INTO threads
    SELECT organization_id, inbox_id, thread_id, '{}', max(timestamp), NULL, NULL, '{}', '{}', NULL, NULL, '[]',
        max(message_id), count(*), 0, bit_or(1 << hidden), bool_or(hidden = 0), NULL, NULL, '{}', '{}', '', now(), now()
    FROM messages GROUP BY 1, 2, 3";

impl History {
    /// Returns the fault of the responses to a search of threads, if any.
    pub(super) async fn check_threads(&self, query: MessageQuery) -> Result<(), String> {
        let MessageQuery { before, after, included, search, page, .. } = query;
        let query = ThreadQuery { before, after, included, search, page, ..self.world.threads() };
        let (found, expected) = (self.found_threads(query.clone()).await, self.expected_threads(&query));
        if found == expected { Ok(()) } else { Err(format!("{query:?}\nfound {found:?}\nwanted {expected:?}")) }
    }

    /// Returns the threads of the visible messages by their newest ones.
    fn expected_threads(&self, query: &ThreadQuery) -> Vec<ThreadId> {
        let items = || self.live.iter().map(|mail| &mail.message.item);
        let newest = |thread_id| items().filter(|item| item.thread_id == thread_id).map(|item| item.timestamp).max();
        let shown = self.live.iter().filter(|mail| {
            HidingLabels::of(&mail.message.item.labels).shown_to(query.included)
                && query.search.as_ref().is_none_or(|text| mail.search_text.contains(text))
        });
        let mut found: Vec<_> = shown.map(|mail| mail.message.item.thread_id).collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|thread_id| {
            query.before.is_none_or(|before| newest(*thread_id) < Some(before))
                && query.after.is_none_or(|after| newest(*thread_id) > Some(after))
        });
        found.sort_by_key(|thread_id| (newest(*thread_id), *thread_id));
        if query.page.direction == Direction::Descending {
            found.reverse();
        }
        found
    }

    async fn found_threads(&self, mut query: ThreadQuery) -> Vec<ThreadId> {
        let mut found = Vec::new();
        loop {
            let page = self.other.list_threads(&query).await.unwrap();
            found.extend(page.items.into_iter().map(|thread| thread.thread_id));
            let Some(next) = page.next else { return found };
            query.page.after = Some(next);
        }
    }
}
