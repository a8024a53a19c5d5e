//! `GET …/metrics/rates`

use actix_web::web::Json;
use inboxd_core::app::metrics;
use inboxd_core::model::permissions::MetricsRead;

use super::{MetricParams, RateParams, window};
use crate::authorized::{Authorized, PartQuery};
use crate::endpoints::JsonResult;
use crate::views::RatePoints;

#[utoipa::path(
    get,
    path = "/v0/metrics/rates",
    operation_id = "query_rate_metrics",
    tag = "Metrics",
    summary = "Report rates over time",
    description = "Reports the share of recipients whose server refused (`bounce`) or accepted (`delivery`) a message, or that marked one as spam (`complaint`): at each whole multiple of `period`, over the `window` before it. A time window and `window` together have at most 1,000 buckets.",
    params(PartQuery, RateParams, MetricParams),
    responses((status = 200, description = "The points by rate", body = RatePoints))
)]
pub(crate) async fn handle(call: Authorized<MetricsRead, PartQuery>) -> JsonResult<RatePoints> {
    let mut query = call.query();
    let RateParams { rate_types, window: rolling } = RateParams::read(&mut query);
    let (window, cut) = window(&mut query);
    query.finish()?;
    let series = metrics::rates(call.app(), &call.caller, &rate_types, window, rolling, cut).await?;
    Ok(Json(series.into()))
}
