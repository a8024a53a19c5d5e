//! `GET …/metrics/events`

use actix_web::web::Json;
use inboxd_core::app::metrics;
use inboxd_core::model::permissions::MetricsRead;

use super::{EventTypeParams, MetricParams, window};
use crate::authorized::{Authorized, PartQuery};
use crate::endpoints::JsonResult;
use crate::views::EventCounts;

#[utoipa::path(
    get,
    path = "/v0/metrics/events",
    operation_id = "query_event_metrics",
    tag = "Metrics",
    summary = "Count events over time",
    description = "Counts events by type and bucket of time. Buckets and types without events are omitted.",
    params(PartQuery, EventTypeParams, MetricParams),
    responses((status = 200, description = "The counts by type", body = EventCounts))
)]
pub(crate) async fn handle(call: Authorized<MetricsRead, PartQuery>) -> JsonResult<EventCounts> {
    let mut query = call.query();
    let EventTypeParams { event_types } = EventTypeParams::read(&mut query);
    let (window, cut) = window(&mut query);
    query.finish()?;
    let series = metrics::events(call.app(), &call.caller, &event_types, window, cut).await?;
    Ok(Json(series.into()))
}
