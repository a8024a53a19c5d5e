//! `GET /v0/auth/me`

use actix_web::web::Json;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Identity;

#[utoipa::path(
    get,
    path = "/v0/auth/me",
    operation_id = "me",
    tag = "Account",
    summary = "Who calls",
    description = "Answers whose key this is and how far it reaches.",
    responses((status = 200, description = "The caller", body = Identity))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Identity> {
    Ok(Json(call.caller.into()))
}
