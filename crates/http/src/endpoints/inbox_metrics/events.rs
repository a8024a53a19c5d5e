//! `GET /v0/inboxes/{inbox_id}/metrics/events`

use inboxd_core::app::metrics::Within;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::metrics::events::counted;
use crate::query_docs::{EventTypeParams, MetricParams};
use crate::views::EventCounts;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/metrics/events",
    operation_id = "query_inbox_event_metrics",
    tag = "Metrics",
    summary = "Count the events of an inbox over time",
    description = "Counts the events of an inbox by type and bucket of time; buckets and types without events are left out. Needs `metrics_read`.",
    params(("inbox_id" = String, Path, description = "The inbox"), EventTypeParams, MetricParams),
    responses((status = 200, description = "The counts by type", body = EventCounts))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<EventCounts> {
    let inbox_id = call.inbox(Permission::MetricsRead)?;
    let within = Within { inbox_id: Some(inbox_id), ..Within::default() };
    counted(&call, call.query(), &within).await
}
