//! What a channel sent last, so that it can be let go.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use super::item::Item;

/// How many octets of events a channel holds for those who have not read them yet.
const MOST_OCTETS: usize = 8 * 1024 * 1024;

/// The events that were sent last and not let go, oldest first.
#[derive(Default)]
pub(super) struct Recent {
    items: VecDeque<(Weak<Item>, usize)>,
    octets: usize,
}

impl Recent {
    /// Adds one, and lets go the oldest that there is no room for beside it.
    pub(super) fn add(&mut self, item: &Arc<Item>) {
        let octets = item.octets();
        self.items.push_back((Arc::downgrade(item), octets));
        self.octets += octets;
        while self.octets > MOST_OCTETS && self.items.len() > 1 {
            let Some((oldest, octets)) = self.items.pop_front() else { return };
            self.octets -= octets;
            if let Some(item) = oldest.upgrade() {
                item.let_go();
            }
        }
        // Those that everybody has read are gone by themselves.
        while self.items.front().is_some_and(|(item, _)| item.strong_count() == 0) {
            self.octets -= self.items.pop_front().map_or(0, |(_, octets)| octets);
        }
    }
}
