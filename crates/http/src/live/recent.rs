//! Recently sent events of a channel, with a limit on their memory.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use super::item::FeedItem;

/// Bytes of sent events that a channel retains for lagging readers.
const MAX_RECENT_BYTES: usize = 8 * 1024 * 1024;

/// Sent events whose message was not released, oldest first.
#[derive(Default)]
pub(super) struct RecentItems {
    items: VecDeque<(Weak<FeedItem>, usize)>,
    bytes: usize,
}

impl RecentItems {
    /// Adds an event and releases the oldest messages above the limit.
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
        // Events that all readers have received are already freed.
        while self.items.front().is_some_and(|(item, _)| item.strong_count() == 0) {
            self.bytes -= self.items.pop_front().map_or(0, |(_, bytes)| bytes);
        }
    }
}
