//! `GET /v0/metrics/events`

use actix_web::web::Json;
use inboxd_core::app::metrics::{self, Within};

use super::{window, within};
use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::query::Query;
use crate::query_docs::{EventTypeParams, MetricParams, WithinParams};
use crate::views::EventCounts;

#[utoipa::path(
    get,
    path = "/v0/metrics/events",
    operation_id = "query_event_metrics",
    tag = "Metrics",
    summary = "Count events over time",
    description = "Counts the events within the caller's reach, or of one inbox or pod that is named, by type and bucket of time; buckets and types without events are left out. Needs `metrics_read`.",
    params(WithinParams, EventTypeParams, MetricParams),
    responses((status = 200, description = "The counts by type", body = EventCounts))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<EventCounts> {
    let mut query = call.query();
    let within = within(&call, &mut query)?;
    counted(&call, query, &within).await
}

/// Counts the events of a part.
pub(crate) async fn counted(call: &Authenticated, mut query: Query, within: &Within) -> Answer<EventCounts> {
    let event_types = query.words("event_types");
    let (window, cut) = window(&mut query);
    query.finish()?;
    let series = metrics::events(call.app(), &call.caller, within, &event_types, window, cut).await?;
    Ok(Json(series.into()))
}
