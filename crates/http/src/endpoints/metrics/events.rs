//! `GET …/metrics/events`

use actix_web::web::Json;
use inboxd_core::app::metrics;
use inboxd_core::model::permissions::MetricsRead;

use super::window;
use crate::authorized::{Authorized, PartQuery};
use crate::endpoints::JsonResult;
use crate::query_docs::{EventTypeParams, MetricParams, WithinParams};
use crate::views::EventCounts;

#[utoipa::path(
    get,
    path = "/v0/metrics/events",
    operation_id = "query_event_metrics",
    tag = "Metrics",
    summary = "Count events over time",
    description = "Counts events by type and bucket of time. Buckets and types without events are omitted.",
    params(WithinParams, EventTypeParams, MetricParams),
    responses((status = 200, description = "The counts by type", body = EventCounts))
)]
pub(crate) async fn handle(call: Authorized<MetricsRead, PartQuery>) -> JsonResult<EventCounts> {
    let mut query = call.query();
    let event_types = query.words("event_types");
    let (window, cut) = window(&mut query);
    query.finish()?;
    let series = metrics::events(call.app(), &call.caller, &event_types, window, cut).await?;
    Ok(Json(series.into()))
}
