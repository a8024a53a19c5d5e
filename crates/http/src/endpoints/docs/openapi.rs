//! `GET /openapi.json`

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, ContentType};

use crate::error::ApiError;

static DOCUMENT: LazyLock<Option<String>> = LazyLock::new(|| crate::openapi().to_json().ok());

#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    tag = "Documentation",
    summary = "Read OpenAPI document",
    description = "Returns the API description as an OpenAPI 3.1 document.",
    security(()),
    responses((status = 200, description = "The document", body = Object))
)]
pub(crate) async fn handle() -> Result<HttpResponse, ApiError> {
    let document = DOCUMENT.as_deref().ok_or_else(|| ApiError::internal("the OpenAPI document is not JSON"))?;
    Ok(HttpResponse::Ok()
        .content_type(ContentType::json())
        .insert_header((CACHE_CONTROL, "public, max-age=300"))
        .insert_header((ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .body(document))
}
