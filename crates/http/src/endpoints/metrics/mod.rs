//! `…/metrics` of the organization, a pod or an inbox.

pub(crate) mod events;
pub(crate) mod usage;

use inboxd_core::app::metrics::Cut;
use inboxd_core::model::Direction;
use inboxd_core::rules::metrics::{LONGEST_PERIOD, MOST_BUCKETS, SHORTEST_PERIOD, Window};

use crate::query::Query;

/// Reads the window, and what of the answer is wanted.
fn window(query: &mut Query) -> (Window, Cut) {
    let window = Window {
        start: query.time("start"),
        end: query.time("end"),
        period: query.number("period", SHORTEST_PERIOD..=LONGEST_PERIOD),
    };
    let limit = query.number("limit", 1..=MOST_BUCKETS.unsigned_abs());
    let direction = if query.flag("descending") { Direction::Descending } else { Direction::Ascending };
    (window, Cut { limit: limit.and_then(|limit| usize::try_from(limit).ok()), direction })
}
