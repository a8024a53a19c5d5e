//! `GET /v0/pods/{pod_id}/metrics/usage`

use inboxd_core::app::metrics::Within;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::metrics::usage::drawn;
use crate::query_docs::{MetricParams, UsageTypeParams};
use crate::views::UsagePoints;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/metrics/usage",
    operation_id = "query_pod_usage_metrics",
    tag = "Metrics",
    summary = "Draw the usage of a pod over time",
    description = "Draws what a pod uses: a point where each bucket of time begins, and one for now. It has no pods. Needs `metrics_read`.",
    params(("pod_id" = String, Path, description = "The pod"), MetricParams, UsageTypeParams),
    responses((status = 200, description = "The points by measure", body = UsagePoints))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<UsagePoints> {
    let pod_id = call.pod(Permission::MetricsRead)?;
    let within = Within { pod_id: Some(pod_id), ..Within::default() };
    drawn(&call, call.query(), &within).await
}
