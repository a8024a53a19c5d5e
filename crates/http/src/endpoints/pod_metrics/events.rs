//! `GET /v0/pods/{pod_id}/metrics/events`

use inboxd_core::app::metrics::Within;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::metrics::events::counted;
use crate::query_docs::{EventTypeParams, MetricParams};
use crate::views::EventCounts;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/metrics/events",
    operation_id = "query_pod_event_metrics",
    tag = "Metrics",
    summary = "Count the events of a pod over time",
    description = "Counts the events of a pod by type and bucket of time; buckets and types without events are left out. Needs `metrics_read`.",
    params(("pod_id" = String, Path, description = "The pod"), EventTypeParams, MetricParams),
    responses((status = 200, description = "The counts by type", body = EventCounts))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<EventCounts> {
    let pod_id = call.pod(Permission::MetricsRead)?;
    let within = Within { pod_id: Some(pod_id), ..Within::default() };
    counted(&call, call.query(), &within).await
}
