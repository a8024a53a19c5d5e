//! `GET /health`

use actix_web::web::Json;

use super::{OK, ServiceStatus};
use crate::endpoints::JsonResult;

#[utoipa::path(
    get,
    path = "/health",
    operation_id = "health",
    tag = "Operations",
    summary = "Check liveness",
    description = "Returns 200 while the process serves requests.",
    security(()),
    responses((status = 200, description = "The process is alive", body = ServiceStatus))
)]
pub(crate) async fn handle() -> JsonResult<ServiceStatus> {
    Ok(Json(OK))
}
