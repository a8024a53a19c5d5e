//! `…/metrics` of the organization, a pod or an inbox.

pub(crate) mod events;
pub(crate) mod usage;

use inboxd_core::app::metrics::Cut;
use inboxd_core::model::Direction;
use inboxd_core::rules::metrics::{MAX_BUCKETS, MAX_PERIOD, MIN_PERIOD, MetricWindow};

use crate::query::QueryReader;

/// Reads the time window and the requested part of the response.
fn window(query: &mut QueryReader) -> (MetricWindow, Cut) {
    let window = MetricWindow {
        start: query.time("start"),
        end: query.time("end"),
        period: query.number("period", MIN_PERIOD..=MAX_PERIOD),
    };
    let limit = query.number("limit", 1..=MAX_BUCKETS.unsigned_abs());
    let direction = if query.flag("descending") { Direction::Descending } else { Direction::Ascending };
    (window, Cut { limit: limit.and_then(|limit| usize::try_from(limit).ok()), direction })
}
