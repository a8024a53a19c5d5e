//! `GET …/metrics/usage`

use actix_web::web::Json;
use inboxd_core::app::metrics;
use inboxd_core::model::permissions::MetricsRead;

use super::{MetricParams, UsageTypeParams, window};
use crate::authorized::{Authorized, PartQuery};
use crate::endpoints::JsonResult;
use crate::views::UsagePoints;

#[utoipa::path(
    get,
    path = "/v0/metrics/usage",
    operation_id = "query_usage_metrics",
    tag = "Metrics",
    summary = "Report usage over time",
    description = "Reports usage: one point at the start of each time bucket, from hourly samples, and one for the current time. Pods have no `pod_count`; inboxes have no `inbox_count`, `pod_count` and `domain_count`.",
    params(PartQuery, UsageTypeParams, MetricParams),
    responses((status = 200, description = "The points by measure", body = UsagePoints))
)]
pub(crate) async fn handle(call: Authorized<MetricsRead, PartQuery>) -> JsonResult<UsagePoints> {
    let mut query = call.query();
    let UsageTypeParams { usage_types } = UsageTypeParams::read(&mut query);
    let (window, cut) = window(&mut query);
    query.finish()?;
    let series = metrics::usage(call.app(), &call.caller, &usage_types, window, cut).await?;
    Ok(Json(series.into()))
}
