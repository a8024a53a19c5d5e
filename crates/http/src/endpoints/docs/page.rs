//! `GET /docs`

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ContentType};

/// Content security policy: Swagger UI generates styles and images at run time and loads all else from this host.
const POLICY: &str =
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

const PAGE: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>inboxd: API documentation</title>
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
</head>
<body>
<noscript>This page needs JavaScript. The API is described in <a href="openapi.json">openapi.json</a>, its errors in
the <a href="docs/errors">error reference</a>.</noscript>
<div id="swagger-ui"></div>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/assets/start.js"></script>
</body>
</html>
"#;

#[utoipa::path(
    get,
    path = "/docs",
    operation_id = "docs",
    tag = "Documentation",
    summary = "Read documentation page",
    security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html"))
)]
pub(crate) async fn handle() -> HttpResponse {
    HttpResponse::Ok()
        .content_type(ContentType::html())
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((CACHE_CONTROL, "public, max-age=300"))
        .body(PAGE)
}
