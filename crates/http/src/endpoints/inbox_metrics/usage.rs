//! `GET /v0/inboxes/{inbox_id}/metrics/usage`

use inboxd_core::app::metrics::Within;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::metrics::usage::drawn;
use crate::query_docs::{MetricParams, UsageTypeParams};
use crate::views::UsagePoints;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/metrics/usage",
    operation_id = "query_inbox_usage_metrics",
    tag = "Metrics",
    summary = "Draw the usage of an inbox over time",
    description = "Draws what an inbox uses: a point where each bucket of time begins, and one for now. It has no inboxes, pods and domains. Needs `metrics_read`.",
    params(("inbox_id" = String, Path, description = "The inbox"), MetricParams, UsageTypeParams),
    responses((status = 200, description = "The points by measure", body = UsagePoints))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<UsagePoints> {
    let inbox_id = call.inbox(Permission::MetricsRead)?;
    let within = Within { inbox_id: Some(inbox_id), ..Within::default() };
    drawn(&call, call.query(), &within).await
}
