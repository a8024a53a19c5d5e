//! `GET /v0/auth/me`

use std::sync::Arc;

use actix_web::web::Json;
use inboxd_core::app::account::identity;

use crate::auth::AuthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::views::IdentityView;

#[utoipa::path(
    get,
    path = "/v0/auth/me",
    operation_id = "me",
    tag = "Account",
    summary = "Read caller identity",
    description = "Returns the member or key of the request, its scope and permissions, and all organizations of the member.",
    responses((status = 200, description = "The caller", body = IdentityView))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> JsonResult<IdentityView> {
    let organizations = identity(call.app(), &call.caller).await?;
    Ok(Json(IdentityView::new(Arc::unwrap_or_clone(call.caller), organizations)))
}
