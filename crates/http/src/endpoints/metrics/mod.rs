//! `/v0/metrics`

pub(crate) mod events;
pub(crate) mod usage;

use inboxd_core::app::metrics::{Cut, Within};
use inboxd_core::model::{Direction, PodId};
use inboxd_core::rules::metrics::{LONGEST_PERIOD, MOST_BUCKETS, SHORTEST_PERIOD, Window};
use inboxd_core::{Error, Resource};

use crate::auth::Authenticated;
use crate::error::ApiError;
use crate::path;
use crate::query::Query;

/// Reads which part of what the key reaches is meant.
fn within(call: &Authenticated, query: &mut Query) -> Result<Within, ApiError> {
    let inbox_id = query.text("inbox_id").map(|text| path::inbox_id(&text));
    let pod_id = query.text("pod_id");
    let named = pod_id.as_deref().map(str::parse::<PodId>).transpose();
    let within = Within { pod_id: named.clone().unwrap_or_default(), inbox_id };
    within.allow(&call.caller)?;
    named.map_err(|_| Error::not_found(Resource::Pod, path::harmless(&pod_id.unwrap_or_default())))?;
    Ok(within)
}

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
