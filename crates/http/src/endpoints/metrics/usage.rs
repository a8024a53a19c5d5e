//! `GET …/metrics/usage`

use actix_web::web::Json;
use inboxd_core::app::metrics;
use inboxd_core::model::permissions::MetricsRead;

use super::window;
use crate::authorized::{Authorized, PartQuery};
use crate::endpoints::JsonResult;
use crate::query_docs::{MetricParams, UsageTypeParams, WithinParams};
use crate::views::UsagePoints;

#[utoipa::path(
    get,
    path = "/v0/metrics/usage",
    operation_id = "query_usage_metrics",
    tag = "Metrics",
    summary = "Report usage over time",
    description = "Reports usage: a point where each bucket of time begins, from hourly samples, and one for now. A pod has no pods; an inbox has no inboxes, pods and domains.",
    params(WithinParams, UsageTypeParams, MetricParams),
    responses((status = 200, description = "The points by measure", body = UsagePoints))
)]
pub(crate) async fn handle(call: Authorized<MetricsRead, PartQuery>) -> JsonResult<UsagePoints> {
    let mut query = call.query();
    let usage_types = query.words("usage_types");
    let (window, cut) = window(&mut query);
    query.finish()?;
    let series = metrics::usage(call.app(), &call.caller, &usage_types, window, cut).await?;
    Ok(Json(series.into()))
}
