//! `GET /ready`

use actix_web::web::Json;

use super::{OK, ServiceStatus};
use crate::auth::UnauthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::error::ApiError;

#[utoipa::path(
    get,
    path = "/ready",
    operation_id = "ready",
    tag = "Operations",
    summary = "Check readiness",
    description = "Returns 200 while the database is reachable, its schema is current and the disk has free space; otherwise 503.",
    security(()),
    responses((status = 200, description = "The service is ready", body = ServiceStatus))
)]
pub(crate) async fn handle(call: UnauthenticatedRequest) -> JsonResult<ServiceStatus> {
    if !call.app().capacity.has_space() {
        return Err(ApiError::no_space());
    }
    call.app().store.ready().await.map_err(|error| ApiError::unavailable(error.to_string()))?;
    Ok(Json(OK))
}
