//! `GET /v0/auth/me`

use std::sync::Arc;

use actix_web::web::Json;
use inboxd_core::app::account::identity;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Identity;

#[utoipa::path(
    get,
    path = "/v0/auth/me",
    operation_id = "me",
    tag = "Account",
    summary = "Who calls",
    description = "Answers whose key this is, how far it reaches, and every organization that the person belongs to.",
    responses((status = 200, description = "The caller", body = Identity))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Identity> {
    let organizations = identity(call.app(), &call.caller).await?;
    Ok(Json(Identity::new(Arc::unwrap_or_clone(call.caller), organizations)))
}
