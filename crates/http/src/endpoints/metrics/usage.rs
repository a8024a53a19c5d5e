//! `GET /v0/metrics/usage`

use actix_web::web::Json;
use inboxd_core::app::metrics::{self, Within};

use super::{window, within};
use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::query::Query;
use crate::query_docs::{MetricParams, UsageTypeParams, WithinParams};
use crate::views::UsagePoints;

#[utoipa::path(
    get,
    path = "/v0/metrics/usage",
    operation_id = "query_usage_metrics",
    tag = "Metrics",
    summary = "Draw usage over time",
    description = "Draws what is used within the caller's reach, or in one inbox or pod that is named: a point where each bucket of time begins, from samples that are taken once an hour, and one for now. Needs `metrics_read`.",
    params(WithinParams, UsageTypeParams, MetricParams),
    responses((status = 200, description = "The points by measure", body = UsagePoints))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<UsagePoints> {
    let mut query = call.query();
    let within = within(&call, &mut query)?;
    drawn(&call, query, &within).await
}

/// Draws the usage of a part.
pub(crate) async fn drawn(call: &Authenticated, mut query: Query, within: &Within) -> Answer<UsagePoints> {
    let usage_types = query.words("usage_types");
    let (window, cut) = window(&mut query);
    query.finish()?;
    let series = metrics::usage(call.app(), &call.caller, within, &usage_types, window, cut).await?;
    Ok(Json(series.into()))
}
