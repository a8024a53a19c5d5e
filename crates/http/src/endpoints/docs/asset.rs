//! `GET /docs/assets/{file}`

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;
use utoipa_swagger_ui::Config;

use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::path;

/// Script that starts Swagger UI on our document. Its links are relative, so that a proxy may add a path prefix.
const START: &str = "window.ui = SwaggerUIBundle({ url: 'openapi.json', dom_id: '#swagger-ui', deepLinking: true, \
    docExpansion: 'list', persistAuthorization: false });\n";

/// Files of Swagger UI that the page loads.
const FILES: [&str; 2] = ["swagger-ui.css", "swagger-ui-bundle.js"];

#[utoipa::path(
    get,
    path = "/docs/assets/{file}",
    operation_id = "docs_asset",
    tag = "Documentation",
    summary = "Read documentation page file",
    security(()),
    params(("file" = String, Path, description = "The file name")),
    responses((status = 200, description = "The file", content((String = "text/javascript"), (String = "text/css"))))
)]
pub(crate) async fn handle(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let name = path::value(&call.request, "file");
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CACHE_CONTROL, "public, max-age=86400"));
    if name == "start.js" {
        return Ok(answer.content_type("text/javascript").body(START));
    }
    let not_found = || ApiError::route_not_found("GET", call.request.path());
    if !FILES.contains(&name.as_str()) {
        return Err(not_found());
    }
    let file = utoipa_swagger_ui::serve(&name, Arc::new(Config::from("openapi.json")))
        .map_err(|error| ApiError::internal(error.to_string()))?
        .ok_or_else(not_found)?;
    Ok(answer.content_type(file.content_type).body(file.bytes.into_owned()))
}
