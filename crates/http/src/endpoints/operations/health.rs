//! `GET /health`

use actix_web::web::Json;

use super::{OK, ServiceStatus};
use crate::endpoints::JsonResult;

#[utoipa::path(
    get,
    path = "/health",
    operation_id = "health",
    tag = "Operations",
    summary = "Is it alive",
    description = "Answers as long as the process answers requests at all.",
    security(()),
    responses((status = 200, description = "It is", body = ServiceStatus))
)]
pub(crate) async fn handle() -> JsonResult<ServiceStatus> {
    Ok(Json(OK))
}
