//! `GET /docs/errors`

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ContentType};

use crate::error::reference_page;

#[utoipa::path(
    get,
    path = "/docs/errors",
    operation_id = "docs_errors",
    tag = "Documentation",
    summary = "Read error reference",
    description = "Explains every error code. The anchor of a code is its name.",
    security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html"))
)]
pub(crate) async fn handle() -> HttpResponse {
    HttpResponse::Ok()
        .content_type(ContentType::html())
        .insert_header((
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        ))
        .insert_header((CACHE_CONTROL, "public, max-age=300"))
        .body(reference_page())
}
