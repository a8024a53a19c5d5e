//! `…/metrics` of the organization, a pod or an inbox.

pub(crate) mod events;
pub(crate) mod rates;
pub(crate) mod usage;

use inboxd_core::app::metrics::Cut;
use inboxd_core::model::Direction;
use inboxd_core::model::metrics::RateType;
use inboxd_core::rules::metrics::{MAX_BUCKETS, MAX_PERIOD, MIN_PERIOD, MetricWindow};
use utoipa::IntoParams;
use utoipa::openapi::schema::Array;

use crate::query::QueryReader;
use crate::query_docs::words;

/// Rates and the window before each point.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it only describes parameters")]
pub(crate) struct RateParams {
    /// Only these rates.
    #[param(schema_with = rate_types)]
    rate_types: Option<Vec<String>>,
    /// Length of the window before each point in seconds, a multiple of `period`.
    #[param(minimum = 60, maximum = 7_776_000, multiple_of = 60, default = 86_400)]
    window: Option<u64>,
}

/// Returns the schema of a list of rates.
fn rate_types() -> Array {
    words(RateType::ALL.iter().map(|rate_type| rate_type.as_str()))
}

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
