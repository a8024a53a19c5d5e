//! Pending events: sequenced in this process and not yet sent by their channel.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use inboxd_core::model::feed::FeedPosition;
use inboxd_core::ports::Placed;

/// Maximum number of pending events. Older ones are evicted and read from the table.
const MAX_PENDING: usize = 1_000;

/// Pending events by position in the feed.
#[derive(Default)]
pub(super) struct PendingEvents(Mutex<BTreeMap<i64, Placed>>);

/// Pending events after a position.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PendingRange {
    /// Contiguous events that directly follow the position.
    These(Vec<Placed>),
    /// A gap before the first pending event. The table has all of them.
    Others,
    /// No pending events.
    Nothing,
}

impl PendingEvents {
    /// Adds events and evicts the oldest above the limit.
    pub(super) fn add(&self, placed: &[Placed]) {
        let mut handed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        handed.extend(placed.iter().map(|placed| (placed.place.position, *placed)));
        while handed.len() > MAX_PENDING {
            handed.pop_first();
        }
    }

    /// Removes and returns at most `most` events that directly follow a position.
    ///
    /// Evicts events at or before the position, which were sent. After a gap it evicts all events.
    pub(super) fn behind(&self, place: FeedPosition, most: usize) -> PendingRange {
        let mut handed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = place.position.saturating_add(1);
        *handed = handed.split_off(&next);
        let mut these = Vec::new();
        while these.len() < most
            && let Some(placed) = handed.remove(&next)
        {
            these.push(placed);
            next = next.saturating_add(1);
        }
        if !these.is_empty() {
            return PendingRange::These(these);
        }
        if handed.is_empty() {
            return PendingRange::Nothing;
        }
        handed.clear();
        PendingRange::Others
    }
}

#[cfg(test)]
mod tests {
    use inboxd_core::ports::EventKey;
    use inboxd_core::testing::fixtures::{NOW, id};

    use super::*;

    fn placed(position: i64) -> Placed {
        let number = u128::try_from(position).unwrap_or_default();
        let event = EventKey { organization_id: id(1), created_at: NOW, event_id: id(number) };
        Placed { place: FeedPosition { at: NOW, position }, event }
    }

    fn handed(positions: &[i64]) -> PendingEvents {
        let handed = PendingEvents::default();
        for position in positions {
            handed.add(&[placed(*position)]);
        }
        handed
    }

    fn these(positions: &[i64]) -> PendingRange {
        PendingRange::These(positions.iter().map(|position| placed(*position)).collect())
    }

    #[test]
    fn consecutive_events_are_taken_once_in_any_order() {
        let handed = handed(&[4, 3, 6, 5, 8]);
        assert_eq!(handed.behind(placed(2).place, 3), these(&[3, 4, 5]));
        assert_eq!(handed.behind(placed(5).place, 3), these(&[6]));
        assert_eq!(handed.behind(placed(6).place, 3), PendingRange::Others, "nobody handed over the seventh");
        assert_eq!(
            handed.behind(placed(6).place, 3),
            PendingRange::Nothing,
            "the eighth is found with it in the table"
        );
    }

    #[test]
    fn delivered_and_excess_events_are_evicted() {
        let overtaken = handed(&[1, 2, 3]);
        assert_eq!(overtaken.behind(placed(3).place, 3), PendingRange::Nothing);
        let most = i64::try_from(MAX_PENDING).unwrap_or_default();
        let all: Vec<_> = (1..=most + 1).collect();
        assert_eq!(handed(&all).behind(placed(1).place, 1), these(&[2]));
        assert_eq!(handed(&all).behind(FeedPosition::START, 1), PendingRange::Others);
    }
}
