//! What a channel sent last, so that it can be let go.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use super::item::FeedItem;

/// How many octets of events a channel holds for those who have not read them yet.
const MAX_RECENT_BYTES: usize = 8 * 1024 * 1024;

/// The events that were sent last and not let go, oldest first.
#[derive(Default)]
pub(super) struct RecentItems {
    items: VecDeque<(Weak<FeedItem>, usize)>,
    bytes: usize,
}

impl RecentItems {
    /// Adds one, and lets go the oldest that there is no room for beside it.
    pub(super) fn add(&mut self, item: &Arc<FeedItem>) {
        let bytes = item.bytes();
        self.items.push_back((Arc::downgrade(item), bytes));
        self.bytes += bytes;
        while self.bytes > MAX_RECENT_BYTES && self.items.len() > 1 {
            let Some((oldest, bytes)) = self.items.pop_front() else { return };
            self.bytes -= bytes;
            if let Some(item) = oldest.upgrade() {
                item.release_mail();
            }
        }
        // Those that everybody has read are gone by themselves.
        while self.items.front().is_some_and(|(item, _)| item.strong_count() == 0) {
            self.bytes -= self.items.pop_front().map_or(0, |(_, bytes)| bytes);
        }
    }
}
