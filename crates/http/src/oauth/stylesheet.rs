//! `GET /assets/pages.css`

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;

use crate::pages::STYLESHEET;

/// Answers the stylesheet of all pages.
pub(super) async fn handle() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/css; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=3600"))
        .body(STYLESHEET)
}
